// The browser knows the signer's time zone.
// @ts-check

const zone = /** @type {HTMLInputElement | null} */ (document.getElementById("zone"));

if (zone) zone.value = Intl.DateTimeFormat().resolvedOptions().timeZone || zone.value;
