import { useMantineColorScheme } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Suspense, useEffect, useState, type ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import {
  actAs,
  onSessionEnd,
  sessionBegan,
  type SessionEnd,
} from '../api/client'
import { keys } from '../api/keys'
import { Me, sessionOptions, usePreferences } from '../api/queries'
import { refusal, requestIdOf } from '../api/refusal'
import { onTabs, tellTabs } from '../api/sessionTabs'
import { OutboxProvider } from '../inbox/composer/OutboxProvider'
import { useLive } from '../live/useLive'
import { setTimeZone } from '../ui/format'
import { useLanguage } from './useLanguage'
import { basePath } from '../ui/page'
import { Failure, Loading } from '../ui/states'
import { part } from '../ui/parts'

const SetUp = part(() =>
  import('../people/SetUp').then((loaded) => loaded.SetUp),
)
const SignIn = part(() =>
  import('../people/SignIn').then((loaded) => loaded.SignIn),
)
const SignInAgain = part(() =>
  import('../people/SignInAgain').then((loaded) => loaded.SignInAgain),
)
const Welcome = part(() =>
  import('../people/Welcome').then((loaded) => loaded.Welcome),
)

/** secretIn reads a token from the URL fragment, which is never sent to servers. */
export function secretIn(
  hash: string,
): { page: 'setup' | 'welcome'; token: string } | null {
  const match = /^#\/(setup|welcome)\?token=([^&]+)/.exec(hash)
  return match
    ? {
        page: match[1] as 'setup' | 'welcome',
        token: decodeURIComponent(match[2] ?? ''),
      }
    : null
}

/** Gate shows the app to signed-in users and the sign-in pages to everyone else. */
export function Gate({ children }: { children: ReactNode }) {
  const { t } = useTranslation()
  const [secret, setSecret] = useState(() => secretIn(location.hash))
  const [ended, setEnded] = useState<SessionEnd | null>(null)
  const [number, setNumber] = useState(1)
  const session = useQuery(sessionOptions)
  const client = useQueryClient()
  useEffect(
    () =>
      onSessionEnd((why) =>
        setEnded(client.getQueryData(keys.session) != null ? why : null),
      ),
    [client],
  )
  const person = session.data?.user.id
  const own = person === undefined || actAs(person)
  useEffect(() => {
    if (!own) location.reload() // never show one user's page to another
  }, [own])
  useEffect(() => {
    if (person === undefined) return
    return onTabs(person, (note) => {
      if (note === 'left') return location.assign(`${basePath}/`)
      sessionBegan()
      setEnded(null)
      setNumber((number) => number + 1)
    })
  }, [person])
  const timezone = session.data?.company.timezone
  setTimeZone(timezone)
  const enter = (path: string) => {
    history.replaceState(null, '', `${basePath}${path}`)
    setSecret(null)
    location.reload()
  }
  if (secret?.page === 'setup')
    return (
      <Suspense>
        <SetUp
          token={secret.token}
          onDone={() => enter('/settings/channels')}
          onSignIn={() => enter('/')}
        />
      </Suspense>
    )
  if (secret?.page === 'welcome')
    return (
      <Suspense>
        <Welcome token={secret.token} onDone={() => enter('/')} />
      </Suspense>
    )
  if (session.isPending || !own) return <Loading rows={1} height={60} />
  if (session.isError && !session.data) {
    const error = session.error
    return (
      <Failure
        message={refusal(error, t)}
        requestId={requestIdOf(error)}
        onRetry={() => void session.refetch()}
      />
    )
  }
  if (!session.data)
    return (
      <Suspense>
        <SignIn />
      </Suspense>
    )
  return (
    <Me value={session.data}>
      <SignedIn
        key={session.data.user.id}
        me={session.data.user.id}
        session={number}
        held={ended === 'changed'}
      >
        {children}
        {ended && (
          <Suspense>
            <SignInAgain
              email={session.data.user.email}
              why={ended}
              onDone={() => {
                setEnded(null)
                setNumber(number + 1)
                tellTabs(session.data?.user.id ?? '', 'began')
              }}
            />
          </Suspense>
        )}
      </SignedIn>
    </Me>
  )
}

function SignedIn({
  me,
  session,
  held,
  children,
}: {
  me: string
  session: number
  held: boolean
  children: ReactNode
}) {
  useLive(me, session)
  const preferences = usePreferences()
  const { theme } = preferences
  useLanguage(preferences)
  const { setColorScheme } = useMantineColorScheme()
  useEffect(
    () => setColorScheme(theme === 'system' ? 'auto' : theme),
    [theme, setColorScheme],
  )
  return (
    <OutboxProvider session={session} held={held}>
      {children}
    </OutboxProvider>
  )
}
