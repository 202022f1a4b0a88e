import './ui/mantine.css'
import './ui/tokens.css'
import { setNonce } from 'get-nonce'
import { createRoot } from 'react-dom/client'
import { App } from './app/App'
import { startTexts } from './ui/i18n'
import { styleNonce } from './ui/page'

setNonce(styleNonce)
await startTexts()
const root = document.getElementById('root')
if (root) createRoot(root).render(<App />)
