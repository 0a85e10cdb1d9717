// Asks the browser for a passkey, or to make one, and sends what it answered with the form.
// @ts-check

const SAYS = {
  NotAllowedError: "No passkey was used. Try again, or use another way.",
  InvalidStateError: "This device has a passkey of yours already.",
};

/** What to ask for: given with the form, or fetched when the button is pressed. @param {HTMLFormElement} form */
async function optionsOf(form) {
  if (form.dataset.options) return JSON.parse(form.dataset.options);
  const answer = await fetch(form.action, { headers: { Accept: "application/json" } });
  if (!answer.ok) throw new Error("The site gave no answer. Please try again in a minute.");
  return (await answer.json()).request_options;
}

/** @param {HTMLFormElement} form */
async function credentialOf(form) {
  const { publicKey } = await optionsOf(form);
  if (form.dataset.passkey === "create") {
    return navigator.credentials.create({ publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(publicKey) });
  }
  return navigator.credentials.get({ publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(publicKey) });
}

/** @param {HTMLFormElement} form @param {HTMLButtonElement} button */
async function send(form, button) {
  const said = /** @type {HTMLElement} */ (form.querySelector("[data-says]"));
  const kept = /** @type {HTMLInputElement} */ (form.querySelector("input[name=credential]"));
  button.disabled = true;
  said.hidden = true;
  try {
    const credential = /** @type {PublicKeyCredential} */ (await credentialOf(form));
    kept.value = JSON.stringify(credential.toJSON());
    form.submit();
  } catch (error) {
    const { name, message } = /** @type {Error} */ (error);
    said.textContent = SAYS[/** @type {keyof typeof SAYS} */ (name)] ?? `The passkey could not be used. ${message}`;
    said.hidden = false;
    button.disabled = false;
  }
}

if (window.PublicKeyCredential && "parseRequestOptionsFromJSON" in PublicKeyCredential) {
  for (const form of /** @type {NodeListOf<HTMLFormElement>} */ (document.querySelectorAll("form[data-passkey]"))) {
    const button = /** @type {HTMLButtonElement} */ (form.querySelector("button"));
    form.hidden = false;
    for (const hint of document.querySelectorAll("[data-no-passkeys]")) /** @type {HTMLElement} */ (hint).hidden = true;
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      void send(form, button);
    });
  }
}
