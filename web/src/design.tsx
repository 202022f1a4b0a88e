// A page with all components, for development: run "npm --prefix web run dev" and open /design.html. It is not part of the build.
import './ui/mantine.css'
import './ui/mantine-later.css'
import './ui/tokens.css'
import {
  ActionIcon,
  Alert,
  Badge,
  Button,
  MantineProvider,
  NativeSelect,
  Switch,
  Textarea,
  TextInput,
  useMantineColorScheme,
} from '@mantine/core'
import { IconDots, IconInbox, IconSearch } from '@tabler/icons-react'
import type { CSSProperties, ReactNode } from 'react'
import { createRoot } from 'react-dom/client'
import bubble from './inbox/thread/Bubble.module.css'
import { Avatar } from './ui/Avatar'
import { startTexts } from './ui/i18n'
import { Logo } from './ui/Logo'
import { IconButton, PlainButton, PlainSelect, SearchField } from './ui/plain'
import { RichText } from './ui/RichText'
import { Empty, Failure, Loading } from './ui/states'
import { theme } from './ui/theme'
import { Tick, type Status } from './ui/Tick'

const colours = [
  'ground',
  'panel',
  'sunken',
  'ink',
  'soft',
  'line',
  'accent',
  'accent-soft',
  'outgoing',
  'incoming',
  'note',
  'note-ink',
  'amber',
  'amber-soft',
  'red',
  'red-soft',
  'tick',
  'tag',
]
const statuses: Status[] = [
  'held',
  'queued',
  'sent',
  'delivered',
  'read',
  'failed',
]
const row: CSSProperties = {
  display: 'flex',
  flexWrap: 'wrap',
  alignItems: 'center',
  gap: 12,
}

function Group({
  title,
  align = 'center',
  children,
}: {
  title: string
  align?: CSSProperties['alignItems']
  children: ReactNode
}) {
  return (
    <section
      style={{ padding: '20px 0', borderBottom: '1px solid var(--line)' }}
    >
      <h2 style={{ margin: '0 0 12px', fontSize: 15 }}>{title}</h2>
      <div style={{ ...row, alignItems: align }}>{children}</div>
    </section>
  )
}

function Design() {
  const { toggleColorScheme } = useMantineColorScheme()
  return (
    <main style={{ maxWidth: 960, margin: '0 auto', padding: 24 }}>
      <header style={{ ...row, justifyContent: 'space-between' }}>
        <div style={row}>
          <Logo size={40} />
          <h1 style={{ fontSize: 17 }}>Recado: design system</h1>
        </div>
        <Button variant="default" onClick={() => toggleColorScheme()}>
          Light or dark
        </Button>
      </header>
      <Group title="Colours">
        {colours.map((name) => (
          <div key={name} style={{ width: 96 }}>
            <div
              style={{
                height: 48,
                borderRadius: 10,
                border: '1px solid var(--line)',
                background: `var(--${name})`,
              }}
            />
            <small>{name}</small>
          </div>
        ))}
      </Group>
      <Group title="Type: 17, 15, 14, 12.5, 11" align="baseline">
        {[17, 15, 14, 12.5, 11].map((size) => (
          <span
            key={size}
            style={{ fontSize: size, fontWeight: size > 14 ? 600 : 400 }}
          >
            Atendimento ATD-000123
          </span>
        ))}
      </Group>
      <Group title="Spacing: steps of 4">
        {[4, 8, 12, 16, 20, 24].map((size) => (
          <span
            key={size}
            style={{ width: size, height: 24, background: 'var(--accent)' }}
          />
        ))}
      </Group>
      <Group title="Avatars">
        {['Ana Ribeiro', 'Caio Moreira', 'Lia', '+55 11 91234-5678'].map(
          (name) => (
            <Avatar key={name} id={name} name={name} />
          ),
        )}
        <Avatar id="group" name="Group" group />
      </Group>
      <Group title="Ticks">
        {statuses.map((status) => (
          <Tick key={status} status={status} size={20} />
        ))}
      </Group>
      <Group title="Buttons">
        <Button>Send</Button>
        <Button variant="default">Transfer</Button>
        <Button variant="subtle">Select all matching</Button>
        <Button color="red">Delete</Button>
        <Button disabled>Send</Button>
        <ActionIcon
          variant="subtle"
          color="gray"
          size={36}
          aria-label="More actions"
        >
          <IconDots size={20} />
        </ActionIcon>
      </Group>
      <Group title="Controls of the first screen">
        <PlainButton>Send</PlainButton>
        <PlainButton look="default">Transfer</PlainButton>
        <PlainButton look="subtle">Select all matching</PlainButton>
        <IconButton look="default" aria-label="Filters">
          <IconDots size={20} />
        </IconButton>
        <IconButton look="light" aria-label="Filters">
          <IconDots size={20} />
        </IconButton>
        <SearchField
          icon={<IconSearch size={16} />}
          aria-label="Search"
          placeholder="Search"
        />
        <PlainSelect aria-label="Sort">
          <option>Newest message</option>
        </PlainSelect>
        <PlainSelect framed aria-label="Views">
          <option>Waiting</option>
        </PlainSelect>
      </Group>
      <Group title="Fields" align="flex-end">
        <TextInput label="Name" defaultValue="Ana" />
        <NativeSelect label="Department" data={['Sales', 'Delivery']} />
        <Textarea label="Reason" />
        <Switch label="Blocked" />
      </Group>
      <Group title="Badges and notices">
        <Badge variant="light" tt="none">
          Connected
        </Badge>
        <Badge variant="light" color="red" tt="none">
          Disconnected
        </Badge>
        <Alert color="red" variant="light">
          This number is disconnected.
        </Alert>
        <Alert color="yellow" variant="light">
          Ana answered 10 s ago
        </Alert>
      </Group>
      <Group title="Messages">
        <article className={bubble.bubble} data-side="in">
          <p className={bubble.text}>
            <RichText text="Bom dia! *Vocês* abrem _hoje_? https://example.com" />
          </p>
        </article>
        <article className={bubble.bubble} data-side="out">
          <p className={bubble.text}>Sim, até as 18h.</p>
          <span className={bubble.meta}>
            09:41 <Tick status="read" />
          </span>
        </article>
        <article className={bubble.bubble} data-side="out" data-note>
          <p className={bubble.author}>Internal note · Ana</p>
          <p className={bubble.text}>Pediu nota fiscal.</p>
        </article>
      </Group>
      <Group title="States">
        <div style={{ flex: '1 1 240px' }}>
          <Empty icon={<IconInbox size={28} />} title="Nobody is waiting.">
            <Button variant="default">New conversation</Button>
          </Empty>
        </div>
        <div style={{ flex: '1 1 240px' }}>
          <Failure
            message="The server cannot be reached."
            requestId="01a1e02e"
            onRetry={() => undefined}
          />
        </div>
        <div style={{ flex: '1 1 240px' }}>
          <Loading rows={3} />
        </div>
      </Group>
      <div id="layer" />
    </main>
  )
}

await startTexts('en')
const root = document.getElementById('root')
if (root)
  createRoot(root).render(
    <MantineProvider
      theme={theme}
      withCssVariables={false}
      defaultColorScheme="auto"
    >
      <Design />
    </MantineProvider>,
  )
