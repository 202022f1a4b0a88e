// The first script of the page is small: it asks for what the first screen shows while the rest is being loaded.
import { begin } from './api/early'
import { firstPaths, screenAt } from './app/firstScreen'
import { catalogues, preferredLanguage } from './ui/language'
import { pagePath } from './ui/page'

begin(firstPaths(screenAt(pagePath(), location.search)))
void catalogues[preferredLanguage()]()
void import('./start')
