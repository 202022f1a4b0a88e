import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  redirect,
  useParams,
} from '@tanstack/react-router'
import { withTexts } from '../ui/i18n'
import { basePath } from '../ui/page'
import { PartFailure } from '../ui/states'
import { Inbox } from '../inbox/Inbox'
import { readSearch } from '../inbox/list/view'
import { readBoardSearch } from '../boards/search'
import { readContactSearch } from '../contacts/search'
import { readImportSearch } from '../imports/search'
import { readCaseSearch } from '../report/cases'
import { readCostSearch } from '../report/costs'
import { readReportSearch } from '../report/period'
import { FirstPage } from './FirstPage'
import { NotFound } from './NotFound'
import { Shell } from './Shell'

const root = createRootRoute({ component: Shell })
const home = createRoute({
  getParentRoute: () => root,
  path: '/',
  component: FirstPage,
})
const inboxHome = createRoute({
  getParentRoute: () => root,
  path: '/inbox',
  beforeLoad: () => {
    throw redirect({ to: '/' })
  },
})
const inbox = createRoute({
  getParentRoute: () => root,
  path: '/inbox/$view',
  validateSearch: readSearch,
  component: InboxScreen,
})
const conversation = createRoute({
  getParentRoute: () => inbox,
  path: '$conversation',
})
const contacts = createRoute({
  getParentRoute: () => root,
  path: '/contacts',
  validateSearch: readContactSearch,
  component: lazyRouteComponent(() =>
    withTexts('contacts', import('../contacts/Contacts')),
  ),
})
const contact = createRoute({
  getParentRoute: () => contacts,
  path: '$contact',
})
const importContacts = createRoute({
  getParentRoute: () => contacts,
  path: 'import',
  validateSearch: readImportSearch,
  component: lazyRouteComponent(() =>
    withTexts(
      'jobs',
      withTexts('imports', import('../imports/ImportContacts')),
    ),
  ),
})
const importChat = createRoute({
  getParentRoute: () => contacts,
  path: 'import-chat',
  validateSearch: readImportSearch,
  component: lazyRouteComponent(() =>
    withTexts('jobs', withTexts('imports', import('../imports/ImportChat'))),
  ),
})
const exportPerson = createRoute({
  getParentRoute: () => contacts,
  path: 'export',
  validateSearch: readImportSearch,
  component: lazyRouteComponent(() =>
    withTexts('jobs', withTexts('persons', import('../persons/ExportPerson'))),
  ),
})
const erasePerson = createRoute({
  getParentRoute: () => contacts,
  path: 'erase',
  validateSearch: readImportSearch,
  component: lazyRouteComponent(() =>
    withTexts('jobs', withTexts('persons', import('../persons/ErasePerson'))),
  ),
})
const boardsScreen = lazyRouteComponent(() =>
  withTexts('boards', import('../boards/Boards')),
)
const boards = createRoute({
  getParentRoute: () => root,
  path: '/boards',
  component: boardsScreen,
})
const board = createRoute({
  getParentRoute: () => boards,
  path: '$board',
  validateSearch: readBoardSearch,
})
const report = createRoute({
  getParentRoute: () => root,
  path: '/report',
  validateSearch: readReportSearch,
  component: lazyRouteComponent(() =>
    withTexts('report', import('../report/Report')),
  ),
})
const cases = createRoute({
  getParentRoute: () => root,
  path: '/report/cases',
  validateSearch: readCaseSearch,
  component: lazyRouteComponent(() =>
    withTexts('report', import('../report/Cases')),
  ),
})
const costs = createRoute({
  getParentRoute: () => root,
  path: '/report/costs',
  validateSearch: readCostSearch,
  component: lazyRouteComponent(() =>
    withTexts('report', withTexts('costs', import('../report/Costs'))),
  ),
})
const now = createRoute({
  getParentRoute: () => root,
  path: '/now',
  component: lazyRouteComponent(() =>
    withTexts('report', import('../report/Now')),
  ),
})
const settingsScreen = lazyRouteComponent(() =>
  withTexts('settings', import('../settings/Settings')),
)
const settings = createRoute({
  getParentRoute: () => root,
  path: '/settings',
  component: settingsScreen,
})
const settingsPage = createRoute({
  getParentRoute: () => root,
  path: '/settings/$',
  component: settingsScreen,
})

/** InboxScreen stays mounted when a conversation is opened or closed, so that the list keeps its scroll position. */
function InboxScreen() {
  const { conversation: open } = useParams({ strict: false })
  return (
    <Inbox
      view={inbox.useParams().view}
      open={open}
      search={inbox.useSearch()}
    />
  )
}

/** router maps the paths below the base path to screens. */
export const router = createRouter({
  routeTree: root.addChildren([
    home,
    inboxHome,
    inbox.addChildren([conversation]),
    contacts.addChildren([
      contact,
      importContacts,
      importChat,
      exportPerson,
      erasePerson,
    ]),
    boards.addChildren([board]),
    now,
    report,
    cases,
    costs,
    settings,
    settingsPage,
  ]),
  basepath: basePath || '/',
  defaultPreload: false,
  defaultErrorComponent: PartFailure,
  defaultNotFoundComponent: NotFound,
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
