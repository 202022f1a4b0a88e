import { useMediaQuery } from '@mantine/hooks'
import { IconMessages } from '@tabler/icons-react'
import { useNavigate, useRouter } from '@tanstack/react-router'
import {
  startTransition,
  Suspense,
  useCallback,
  useEffect,
  useRef,
  useState,
} from 'react'
import { useTranslation } from 'react-i18next'
import { useSavedViews } from '../api/queries'
import type { Conversation } from '../api/types'
import { Boundary } from '../ui/Boundary'
import { withTexts } from '../ui/i18n'
import { Empty, Loading, PartFailure } from '../ui/states'
import { useNarrow } from '../ui/usePhone'
import type { ComposerHandle } from './composer/Composer'
import type { PaneDialog } from './ConversationHeader'
import { ListPane } from './list/ListPane'
import { useConversation } from './list/useConversations'
import { useInboxKeys } from './useInboxKeys'
import { queryOf, type Search } from './list/view'
import { Views } from './list/Views'
import classes from './Inbox.module.css'
import { afterPaint, part, withStyles } from '../ui/parts'
import { PlainButton } from '../ui/plain'

const loadPane = () =>
  import('./ConversationPane').then((loaded) => loaded.ConversationPane)
const ConversationPane = part(loadPane)
const Details = part(() =>
  withTexts('talk', import('./details/Details')).then(
    (loaded) => loaded.Details,
  ),
)
const NewConversationDialog = part(() =>
  import('./list/NewConversationDialog').then(
    (loaded) => loaded.NewConversationDialog,
  ),
)

type Props = { view: string; open: string | undefined; search: Search }

/** Inbox holds the four panes. The selection is in the URL. */
export function Inbox({ view, open, search: given }: Props) {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const { history } = useRouter()
  const saved = useSavedViews().data
  const search = useSame(given)
  const query = useSame(queryOf(view, search, saved))
  const wide = useMediaQuery('(min-width: 1200px)', true, {
    getInitialValueInEffect: false,
  })
  const narrow = useNarrow()
  const [selection, setSelection] = useState<ReadonlySet<string>>(new Set())
  useEffect(
    () => afterPaint(() => void withStyles(loadPane()).catch(() => undefined)),
    [],
  ) // a conversation is likely to be opened next
  useEffect(() => setSelection(new Set()), [view]) // rows outside the list are not selected
  const [dialog, setDialog] = useState<PaneDialog>(null)
  const [creating, setCreating] = useState(false)
  const create = useCallback(() => setCreating(true), [])
  const rows = useRef<Conversation[]>([])
  const composer = useRef<ComposerHandle>(null)
  const onShown = useCallback((shown: Conversation[]) => {
    rows.current = shown
  }, [])

  const change = useCallback(
    (fields: Partial<Search>) =>
      void navigate({
        to: '.',
        search: (before: Search) => ({ ...before, ...fields }),
        replace: true,
      }),
    [navigate],
  )
  const openConversation = useCallback(
    (id: string) =>
      void navigate({
        to: '/inbox/$view/$conversation',
        params: { view, conversation: id },
        search: (before: Search) => ({
          ...before,
          message: undefined,
          details: undefined,
        }),
      }),
    [navigate, view],
  )
  const back = useCallback(
    () =>
      void navigate({
        to: '/inbox/$view',
        params: { view },
        search: (before: Search) => ({
          ...before,
          message: undefined,
          details: undefined,
        }),
      }),
    [navigate, view],
  )
  // On a phone, details are a page of their own, and the browser's back button leaves it.
  const toggleDetails = () => {
    if (search.details && history.canGoBack()) history.back()
    else
      void navigate({
        to: '.',
        search: (before: Search) => ({
          ...before,
          details: search.details ? undefined : true,
        }),
        replace: search.details,
      })
  }
  const enter = useCallback(() => composer.current?.focus(), [])
  const step = useCallback(
    (by: number) => {
      const at = rows.current.findIndex((one) => one.id === open)
      const next = rows.current[at < 0 ? 0 : at + by]
      if (next) openConversation(next.id)
    },
    [open, openConversation],
  )
  const toggle = useCallback((id: string) => {
    setSelection((before) => {
      const next = new Set(before)
      if (!next.delete(id)) next.add(id)
      return next
    })
  }, [])
  useInboxKeys({
    open,
    step,
    composer,
    setDialog,
    onNew: create,
    onSelect: toggle,
    onBack: back,
    details: !!search.details,
    closeDetails: toggleDetails,
    openDetails: () => !wide && !search.details && toggleDetails(),
  })
  const listed = open ? rows.current.find((one) => one.id === open) : undefined
  const showDetails = open !== undefined && (wide || search.details)

  return (
    <div
      className={classes.inbox}
      data-open={open ? '' : undefined}
      data-details={search.details ? '' : undefined}
    >
      {!narrow && <Views view={view} />}
      <ListPane
        key={view}
        view={view}
        search={search}
        query={query}
        open={open}
        selection={selection}
        setSelection={setSelection}
        onSelect={toggle}
        onSearch={change}
        onOpen={openConversation}
        onEnter={enter}
        onNew={create}
        onShown={onShown}
      />
      {open ? (
        <Suspense
          fallback={
            <section
              className={classes.none}
              aria-label={t('inbox.conversation')}
            >
              <Loading rows={5} />
            </section>
          }
        >
          <ConversationPane
            key={open}
            id={open}
            listed={listed}
            around={search.message ?? null}
            dialog={dialog}
            setDialog={setDialog}
            composer={composer}
            onAround={(message) => change({ message: message ?? undefined })}
            onBack={back}
            onDetails={toggleDetails}
            onNext={() => step(1)}
          />
        </Suspense>
      ) : (
        <section className={classes.none} aria-label={t('inbox.conversation')}>
          <Empty
            icon={<IconMessages size={30} />}
            title={t('inbox.choose')}
            text={t('inbox.chooseText')}
          >
            <PlainButton look="default" onClick={create}>
              {t('list.new')}
            </PlainButton>
          </Empty>
        </section>
      )}
      {showDetails && <OpenDetails id={open} onClose={toggleDetails} />}
      {creating && (
        <Suspense fallback={null}>
          <NewConversationDialog
            onClose={() => setCreating(false)}
            onOpen={openConversation}
          />
        </Suspense>
      )}
    </div>
  )
}

/** useSame returns the previous object while its content is the same. */
function useSame<T>(value: T): T {
  const kept = useRef(value)
  if (JSON.stringify(kept.current) !== JSON.stringify(value))
    kept.current = value
  return kept.current
}

/** OpenDetails renders the details after the conversation. If they fail to load, the conversation stays. */
function OpenDetails({ id, onClose }: { id: string; onClose: () => void }) {
  const [shown, setShown] = useState('')
  useEffect(() => afterPaint(() => startTransition(() => setShown(id))), [id])
  const conversation = useConversation(id).data
  return (
    <div className={classes.details}>
      {shown === id && conversation && (
        <Boundary fallback={<PartFailure />}>
          <Suspense fallback={null}>
            <Details conversation={conversation} onClose={onClose} />
          </Suspense>
        </Boundary>
      )}
    </div>
  )
}
