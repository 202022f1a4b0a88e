// The entry script is small: it requests the first screen's data while the rest of the app is loading.
import { begin } from './api/early'
import { firstPaths, screenAt } from './app/firstScreen'
import { catalogues, preferredLanguage } from './ui/language'
import { pagePath } from './ui/page'

begin(firstPaths(screenAt(pagePath(), location.search)))
void catalogues[preferredLanguage()]()
void import('./start')
