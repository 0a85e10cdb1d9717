# A machine of its own, made of this one: its own network, and copies of /etc, /var and what else the page changes, which are gone afterwards.
# Needs CHECKOUT, PYTHON, RESULTS and HOST.
"$PYTHON" - <<'END'
import fcntl, socket, struct
with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as network:
    fcntl.ioctl(network, 0x8914, struct.pack("16sh", b"lo", 1 | 64))  # up and running
END
BASE=$("$PYTHON" -c 'import sys; print(sys.base_prefix)')
mount -t tmpfs none /mnt
mkdir /mnt/bin /mnt/python
for name in etc var usr/local/sbin; do
    mkdir -p "/mnt/over/$name" "/mnt/work/$name"
    mount -t overlay overlay -o "lowerdir=/$name,upperdir=/mnt/over/$name,workdir=/mnt/work/$name" "/$name"
done
mount -t tmpfs -o mode=755 none /run
mount -t tmpfs -o mode=755 none /opt
mkdir /opt/footnote
mount --bind "$CHECKOUT" /opt/footnote
case "$BASE" in /root/*)  # where another user cannot read it
    mount --bind "$BASE" /mnt/python
    mount -t tmpfs -o mode=755 none /root
    mkdir -p "$BASE"
    mount --bind /mnt/python "$BASE"
esac
echo "127.0.0.1 localhost $HOST" > /etc/hosts
printf '#!/bin/sh\nexec "%s" -I /opt/footnote/tests/deployment/systemctl.py "$@"\n' "$PYTHON" > /mnt/bin/systemctl
chmod +x /mnt/bin/systemctl
export PATH="/mnt/bin:$PATH"
