// Runs before the page is drawn: what needs a script is shown only where scripts run.
document.documentElement.dataset.js = "";
