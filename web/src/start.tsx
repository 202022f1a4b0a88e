import './ui/mantine.css'
import './ui/tokens.css'
import { setNonce } from 'get-nonce'
import { createRoot } from 'react-dom/client'
import { makeQueryClient } from './api/queries'
import { App } from './app/App'
import { prefetch } from './app/prefetch'
import { router } from './app/router'
import { startTexts } from './ui/i18n'
import { maySession, styleNonce } from './ui/page'

/** The page is drawn once with everything that comes within this time; what comes later has its skeleton. */
const patience = 150

setNonce(styleNonce)
const client = makeQueryClient()
const first = prefetch(client)
await startTexts()
const screen = maySession ? router.load().catch(() => undefined) : undefined // without this the router begins when the page is drawn, and draws it a second time
await Promise.race([
  Promise.all([first, screen]),
  new Promise((resolve) => setTimeout(resolve, patience)),
])
const root = document.getElementById('root')
if (root) createRoot(root).render(<App client={client} />)
