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
    if (given.bearer?.value) sessionStorage.setItem(recadoStorage, given.bearer.value)
    return authorize(given)
  }
  const forget = (logout) => (names) => {
    sessionStorage.removeItem(recadoStorage)
    return logout(names)
  }
  return { statePlugins: { auth: { wrapActions: { authorize: keep, logout: forget } } } }
}

/** The levels of Swagger UI's headings below the title of the page. */
const recadoLevels = { '.info h2.title': 1, 'h3.opblock-tag': 2, '.modal-ux-header h3': 2, '.opblock-body h4': 3, '.modal-ux-content h4': 3, '.opblock-body h5': 4, '.modal-ux-content h5': 4, '.modal-ux-content h6': 4 }

/** recadoNames gives names and levels to what Swagger UI leaves without them, for screen readers and the keyboard. */
function recadoNames() {
  const each = (selector, task) => document.querySelectorAll(selector).forEach(task)
  const name = (selector, text) => each(`${selector}:not([aria-label])`, (one) => one.setAttribute('aria-label', typeof text === 'string' ? text : text(one)))
  for (const [selector, level] of Object.entries(recadoLevels)) {
    each(`${selector}:not([aria-level])`, (one) => {
      one.setAttribute('role', 'heading')
      one.setAttribute('aria-level', String(level))
    })
  }
  name('#servers', 'Server')
  name('.close-modal', 'Close')
  name('.copy-to-clipboard button', 'Copy')
  name('.body-param__text', 'Request body')
  name('.examples-select-element', 'Example')
  name('tr[data-param-name] select', (one) => one.closest('tr').dataset.paramName)
  name('table.responses-table[role=region]', (one) => `Responses, ${one.id.replaceAll('_', ' ')}`)
  each('pre.microlight:not([tabindex])', (one) => one.setAttribute('tabindex', '0')) // it scrolls
  // A button says "Authorize" and was named otherwise; a link inside of a button cannot be reached.
  each('[aria-label="Apply credentials"]', (one) => one.removeAttribute('aria-label'))
  each('.opblock-summary-control a[href]', (one) => one.removeAttribute('href'))
}

/** recadoReady gives Swagger UI the key that this tab was given before, and keeps the page readable for all. */
function recadoReady() {
  const key = sessionStorage.getItem(recadoStorage)
  if (key) window.ui.preauthorizeApiKey('bearer', key)
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
