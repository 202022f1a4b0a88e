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
import {
  useDetailsColumn,
  useNarrow,
  usePhone,
  useViewsColumn,
} from '../ui/usePhone'
import type { PaneDialog } from './ConversationHeader'
import { isTouch } from './composer/touch'
import { ListPane } from './list/ListPane'
import { neighbourOf } from './list/neighbour'
import { useConversation } from './list/useConversations'
import { useColumns } from './useColumns'
import { useComposerFocus } from './useComposerFocus'
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
  const [columns, toggleColumn] = useColumns()
  const viewsColumn = useViewsColumn()
  const detailsColumn = useDetailsColumn()
  const narrow = useNarrow()
  const phone = usePhone()
  const [viewsOver, setViewsOver] = useState(false) // the views over the list
  const showViews = !narrow && (viewsColumn ? columns.views : viewsOver)
  const toggleViews = useCallback(
    () =>
      viewsColumn ? toggleColumn('views') : setViewsOver((shown) => !shown),
    [viewsColumn, toggleColumn],
  )
  useEffect(() => setViewsOver(false), [view, viewsColumn])
  const [selecting, setSelecting] = useState(false)
  const [selection, setSelection] = useState<ReadonlySet<string>>(new Set())
  useEffect(
    () => afterPaint(() => void withStyles(loadPane()).catch(() => undefined)),
    [],
  ) // a conversation is likely to be opened next
  const [dialog, setDialog] = useState<PaneDialog>(null)
  const [creating, setCreating] = useState(false)
  const create = useCallback(() => setCreating(true), [])
  const inbox = useRef<HTMLDivElement>(null)
  const focus = useComposerFocus(open)
  const rows = useRef<Conversation[]>([])
  const around = useRef<string[]>([]) // the list when it last contained the open conversation
  const onShown = useCallback(
    (shown: Conversation[]) => {
      rows.current = shown
      if (shown.some((one) => one.id === open))
        around.current = shown.map((one) => one.id)
    },
    [open],
  )

  const change = useCallback(
    (fields: Partial<Search>) =>
      void navigate({
        to: '.',
        search: (before: Search) => ({ ...before, ...fields }),
        replace: true,
      }),
    [navigate],
  )
  const opening = useRef(open)
  const openConversation = useCallback(
    (id: string) => {
      opening.current = id
      void navigate({
        to: '/inbox/$view/$conversation',
        params: { view, conversation: id },
        search: (before: Search) => ({
          ...before,
          message: undefined,
          details: undefined,
        }),
      })
    },
    [navigate, view],
  )
  useEffect(() => {
    if (open && open !== opening.current) focus.focus(open) // opened by a link or a command
    opening.current = open
  }, [open, focus])
  const showDetails =
    open !== undefined && (detailsColumn ? columns.details : search.details)
  /** write opens a conversation to write in it. */
  const write = useCallback(
    (id: string) => {
      focus.focus(id)
      openConversation(id)
    },
    [focus, openConversation],
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
    if (detailsColumn) toggleColumn('details')
    else if (search.details && history.canGoBack()) history.back()
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
  const enter = useCallback(() => {
    if (open) focus.focus(open)
  }, [focus, open])
  const neighbour = (by: 1 | -1) =>
    open === undefined
      ? rows.current[0]?.id
      : neighbourOf(
          rows.current.map((one) => one.id),
          around.current,
          open,
          by,
        )
  const step = (by: 1 | -1) => {
    const next = neighbour(by)
    if (next) openConversation(next)
  }
  const selectMode = useCallback((on: boolean) => {
    setSelecting(on)
    setSelection(new Set())
  }, [])
  useEffect(() => selectMode(false), [view, selectMode]) // rows outside the list are not selected
  const toggle = useCallback((id: string) => {
    setSelection((before) => {
      const next = new Set(before)
      if (!next.delete(id)) next.add(id)
      return next
    })
  }, [])
  const place = useInboxKeys({
    open,
    inbox,
    focus,
    step,
    setDialog,
    onNew: create,
    onSelect: toggle,
    onBack: back,
    onLabels: () => showDetails || toggleDetails(),
    onEscape: () => {
      if (viewsOver) setViewsOver(false)
      else if (selecting) selectMode(false)
      else if (showDetails && !detailsColumn) toggleDetails()
      else if (phone && open) back()
    },
  })
  /** moveOn opens the next conversation after the open one is done, or the previous one at the end of the list. */
  const moveOn = () => {
    const next = neighbour(1) ?? neighbour(-1)
    if (!next) back()
    else if (place() === 'chat') write(next)
    else openConversation(next)
  }
  const listed = open ? rows.current.find((one) => one.id === open) : undefined

  return (
    <div
      ref={inbox}
      className={classes.inbox}
      data-open={open ? '' : undefined}
      data-details={search.details ? '' : undefined}
    >
      {showViews && (
        <Views view={view} over={!viewsColumn} onHide={toggleViews} />
      )}
      <ListPane
        key={view}
        view={view}
        search={search}
        query={query}
        open={open}
        selecting={selecting || selection.size > 0}
        rowsSelect={selecting || (isTouch() && selection.size > 0)}
        selection={selection}
        setSelection={setSelection}
        onSelecting={selectMode}
        onSelect={toggle}
        onSearch={change}
        onOpen={write}
        onMove={openConversation}
        onEnter={enter}
        onNew={create}
        onShown={onShown}
        onViews={narrow || showViews ? undefined : toggleViews}
      />
      <div className={classes.chat} data-place="chat">
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
              composer={focus.composer}
              onAround={(message) => change({ message: message ?? undefined })}
              onBack={back}
              onDetails={toggleDetails}
              onNext={moveOn}
            />
          </Suspense>
        ) : (
          <section
            className={classes.none}
            aria-label={t('inbox.conversation')}
          >
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
      </div>
      {showDetails && <OpenDetails id={open} onClose={toggleDetails} />}
      {creating && (
        <Suspense fallback={null}>
          <NewConversationDialog
            onClose={() => setCreating(false)}
            onOpen={write}
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
    <div className={classes.details} data-place="other">
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
