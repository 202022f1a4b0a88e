// The pages of the documentation have the theme that the app has in this browser, else that of the system.
(() => {
  const system = matchMedia('(prefers-color-scheme: dark)')
  const apply = () => {
    const chosen = localStorage.getItem('mantine-color-scheme-value')
    document.documentElement.dataset.theme = chosen === 'light' || chosen === 'dark' ? chosen : system.matches ? 'dark' : 'light'
  }
  apply()
  system.addEventListener('change', apply)
})()

const recadoStorage = 'recado.docs.key'

/** recadoKey is a plug-in of Swagger UI that keeps the API key until the tab is closed. */
function recadoKey() {
  const keep = (authorize) => (given) => {
    if (given.key?.value) sessionStorage.setItem(recadoStorage, given.key.value)
    return authorize(given)
  }
  const forget = (logout) => (names) => {
    sessionStorage.removeItem(recadoStorage)
    return logout(names)
  }
  return { statePlugins: { auth: { wrapActions: { authorize: keep, logout: forget } } } }
}

/** recadoNames gives names and roles to what Swagger UI leaves without them, for screen readers. */
function recadoNames() {
  const set = (selector, name, value) => document.querySelectorAll(selector).forEach((one) => one.setAttribute(name, value))
  set('#servers:not([aria-label])', 'aria-label', 'Server')
  set('.close-modal:not([aria-label])', 'aria-label', 'Close')
  set('.info h2.title:not([role])', 'role', 'heading')
  set('.info h2.title:not([aria-level])', 'aria-level', '1')
  // A button says "Authorize" and was named otherwise; a link inside of a button cannot be reached.
  document.querySelectorAll('[aria-label="Apply credentials"]').forEach((one) => one.removeAttribute('aria-label'))
  document.querySelectorAll('.opblock-summary-control a[href]').forEach((one) => one.removeAttribute('href'))
}

/** recadoReady gives Swagger UI the key that this tab was given before, and keeps the page readable for all. */
function recadoReady() {
  const key = sessionStorage.getItem(recadoStorage)
  if (key) window.ui.preauthorizeApiKey('key', key)
  let waiting = false
  const mend = () => {
    waiting = false
    recadoNames()
  }
  mend()
  new MutationObserver(() => {
    if (!waiting) requestAnimationFrame(mend)
    waiting = true
  }).observe(document.body, { childList: true, subtree: true })
}
