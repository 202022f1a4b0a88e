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

/** recadoRestore gives Swagger UI the key that this tab was given before. */
function recadoRestore() {
  const key = sessionStorage.getItem(recadoStorage)
  if (key) window.ui.preauthorizeApiKey('key', key)
}
