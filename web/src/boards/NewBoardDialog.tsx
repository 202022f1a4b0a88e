import {
  ActionIcon,
  Alert,
  Button,
  Group,
  NativeSelect,
  Stack,
  TextInput,
} from '@mantine/core'
import { IconPlus, IconX } from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, Failure, unwrap } from '../api/client'
import { keys } from '../api/keys'
import { refusal } from '../api/refusal'
import type { Board, Stage } from '../api/types'
import { Dialog } from '../ui/Dialog'
import classes from './Board.module.css'

type Draft = { key: number; name: string; kind: Stage['kind'] }

/** NewBoardDialog creates a board with its stages. */
export function NewBoardDialog({
  onClose,
  onOpen,
}: {
  onClose: () => void
  onOpen: (id: string) => void
}) {
  const { t } = useTranslation()
  const client = useQueryClient()
  const [name, setName] = useState('')
  const [stages, setStages] = useState<Draft[]>([
    { key: 1, name: t('boards.default.todo'), kind: 'open' },
    { key: 2, name: t('boards.default.doing'), kind: 'open' },
    { key: 3, name: t('boards.default.done'), kind: 'won' },
  ])
  const [problem, setProblem] = useState<string | null>(null)
  const [busy, setBusy] = useState(false)
  const key = useRef(crypto.randomUUID())
  const set = (at: number, change: Partial<Draft>) =>
    setStages(
      stages.map((one, index) => (index === at ? { ...one, ...change } : one)),
    )
  const create = async () => {
    setBusy(true)
    setProblem(null)
    try {
      const body = {
        name: name.trim(),
        stages: stages.map((one) => ({
          name: one.name.trim(),
          kind: one.kind,
        })),
      }
      const made = await unwrap(
        api.POST('/kanban/boards', {
          params: { header: { 'Idempotency-Key': key.current } },
          body,
        }),
      )
      client.setQueryData<Board[]>(keys.boards, (boards) =>
        boards && !boards.some((one) => one.id === made.id)
          ? [...boards, made]
          : boards,
      )
      onClose()
      onOpen(made.id)
    } catch (error) {
      if (!(error instanceof Failure && error.temporary))
        key.current = crypto.randomUUID()
      setProblem(refusal(error, t))
      setBusy(false)
    }
  }
  return (
    <Dialog title={t('boards.new')} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          void create()
        }}
      >
        <Stack gap="md">
          {problem && (
            <Alert color="red" variant="light">
              {problem}
            </Alert>
          )}
          <TextInput
            label={t('details.name')}
            data-autofocus
            required
            withAsterisk={false}
            maxLength={120}
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
          />
          <fieldset className={classes.stagesField}>
            <legend>{t('boards.stages')}</legend>
            {stages.map((stage, index) => (
              <div key={stage.key} className={classes.stageRow}>
                <TextInput
                  aria-label={t('boards.stageNumber', { n: index + 1 })}
                  required
                  maxLength={120}
                  value={stage.name}
                  onChange={(event) =>
                    set(index, { name: event.currentTarget.value })
                  }
                />
                <NativeSelect
                  aria-label={t('boards.kindNumber', { n: index + 1 })}
                  value={stage.kind}
                  data={(['open', 'won', 'lost'] as const).map((kind) => ({
                    value: kind,
                    label: t(`boards.kind.${kind}`),
                  }))}
                  onChange={(event) =>
                    set(index, {
                      kind: event.currentTarget.value as Stage['kind'],
                    })
                  }
                />
                <ActionIcon
                  variant="subtle"
                  color="gray"
                  size={32}
                  disabled={stages.length === 1}
                  aria-label={t('boards.removeStage', { name: stage.name })}
                  onClick={() =>
                    setStages(stages.filter((one) => one.key !== stage.key))
                  }
                >
                  <IconX size={16} />
                </ActionIcon>
              </div>
            ))}
            <Button
              variant="subtle"
              size="xs"
              leftSection={<IconPlus size={15} />}
              onClick={() =>
                setStages([
                  ...stages,
                  {
                    key: Math.max(...stages.map((one) => one.key)) + 1,
                    name: '',
                    kind: 'open',
                  },
                ])
              }
            >
              {t('boards.stage.add')}
            </Button>
          </fieldset>
          <Group justify="flex-end">
            <Button
              type="submit"
              loading={busy}
              disabled={!name.trim() || stages.some((one) => !one.name.trim())}
            >
              {t('boards.create')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  )
}
