import { NativeSelect, Stack, Switch, Textarea, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState, type FormEvent } from 'react'
import { useTranslation } from 'react-i18next'
import { api, unwrap } from '../../api/client'
import { keys } from '../../api/keys'
import { useSubmit } from '../../api/useSubmit'
import type { CustomField, FieldEntity, FieldType } from '../../api/types'
import { keyOf } from '../../fields/values'
import { Dialog } from '../../ui/Dialog'
import { FormFooter } from '../../ui/FormFooter'
import { changed } from '../changed'

const types: FieldType[] = [
  'text',
  'number',
  'date',
  'bool',
  'choice',
  'link',
  'cpf',
  'cnpj',
]

/** optionsIn returns the options written one per line, without empty lines and repetitions. */
export const optionsIn = (text: string) => [
  ...new Set(
    text
      .split('\n')
      .map((line) => line.trim())
      .filter(Boolean),
  ),
]

/** FieldDialog creates or edits a custom field. The key and the type are chosen once. */
export function FieldDialog({
  entity,
  field,
  onClose,
}: {
  entity: FieldEntity
  field: CustomField | null
  onClose: () => void
}) {
  const { t } = useTranslation()
  const client = useQueryClient()
  const [name, setName] = useState(field?.name ?? '')
  const [ownKey, setOwnKey] = useState<string | null>(field?.key ?? null)
  const [type, setType] = useState<FieldType>(field?.type ?? 'text')
  const [options, setOptions] = useState(field?.options.join('\n') ?? '')
  const [required, setRequired] = useState(field?.required_on_close ?? false)
  const key = ownKey ?? keyOf(name)
  const { busy, problem, wrong, run } = useSubmit({
    fields: ['name', 'key', 'type', 'options'],
    taken: 'key',
  })
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    const body = {
      name: name.trim(),
      required_on_close: required,
      ...(type === 'choice' ? { options: optionsIn(options) } : {}),
    }
    const done = await run(async () => {
      await (field
        ? unwrap(
            api.PATCH('/fields/{id}', {
              params: { path: { id: field.id } },
              body: changed(field, body),
            }),
          )
        : unwrap(api.POST('/fields', { body: { ...body, entity, key, type } })))
      await client.invalidateQueries({ queryKey: keys.fields })
    })
    if (done) onClose()
  }
  return (
    <Dialog
      title={t(field ? 'fields.editTitle' : 'fields.new')}
      onClose={onClose}
    >
      <form onSubmit={(event) => void submit(event)}>
        <Stack gap="md">
          <TextInput
            label={t('settings.name')}
            data-autofocus
            required
            withAsterisk={false}
            maxLength={120}
            value={name}
            error={wrong.name}
            onChange={(event) => setName(event.currentTarget.value)}
          />
          <NativeSelect
            label={t('fields.kind')}
            disabled={field !== null}
            value={type}
            error={wrong.type}
            data={types.map((one) => ({
              value: one,
              label: t(`fields.type.${one}`),
            }))}
            onChange={(event) =>
              setType(event.currentTarget.value as FieldType)
            }
          />
          {type === 'choice' && (
            <Textarea
              label={t('fields.options')}
              description={t('fields.optionsText')}
              required
              withAsterisk={false}
              autosize
              minRows={3}
              maxRows={10}
              value={options}
              error={wrong.options}
              onChange={(event) => setOptions(event.currentTarget.value)}
            />
          )}
          <TextInput
            label={t('fields.key')}
            description={t(
              field ? 'fields.keyFixed' : `fields.keyText.${entity}`,
            )}
            required
            withAsterisk={false}
            maxLength={32}
            readOnly={field !== null}
            variant={field ? 'filled' : undefined}
            value={key}
            error={wrong.key}
            onChange={(event) =>
              setOwnKey(
                event.currentTarget.value
                  .toLowerCase()
                  .normalize('NFD')
                  .replace(/\p{M}/gu, '')
                  .replace(/[\s-]+/g, '_'),
              )
            }
          />
          {entity !== 'card' && (
            <Switch
              label={t('fields.required')}
              description={t('fields.requiredText')}
              checked={required}
              onChange={(event) => setRequired(event.currentTarget.checked)}
            />
          )}
          <FormFooter busy={busy} problem={problem} submit={t('common.save')} />
        </Stack>
      </form>
    </Dialog>
  )
}
