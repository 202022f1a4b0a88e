import './ui/mantine.css'
import './ui/tokens.css'
import { setNonce } from 'get-nonce'
import { createRoot } from 'react-dom/client'
import { makeQueryClient } from './api/queries'
import { App } from './app/App'
import { prefetch } from './app/prefetch'
import { router } from './app/router'
import { startTexts } from './ui/i18n'
import { watchInstall } from './ui/install'
import { maySession, styleNonce } from './ui/page'
import { startWorker } from './ui/worker'

/** How long the first render waits for data; what arrives later shows a skeleton first. */
const maxWait = 150

setNonce(styleNonce)
watchInstall()
const client = makeQueryClient()
const first = prefetch(client)
await startTexts()
const screen = maySession ? router.load().catch(() => undefined) : undefined // otherwise the router would start on render and render twice
await Promise.race([
  Promise.all([first, screen]),
  new Promise((resolve) => setTimeout(resolve, maxWait)),
])
const root = document.getElementById('root')
if (root) createRoot(root).render(<App client={client} />)
startWorker((conversation) =>
  router.navigate({
    to: '/inbox/$view/$conversation',
    params: { view: 'open', conversation },
  }),
)
