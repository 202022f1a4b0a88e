import { ActionIcon, Button, Tabs } from '@mantine/core'
import { IconForms, IconPencil, IconPlus, IconTrash } from '@tabler/icons-react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, unwrap } from '../../api/client'
import { Confirm } from '../../api/Confirm'
import { keys } from '../../api/keys'
import { Loaded } from '../../api/Loaded'
import { fieldsOptions } from '../../api/queries'
import type { CustomField, FieldEntity } from '../../api/types'
import { Page } from '../../ui/Layout'
import { Empty } from '../../ui/states'
import rows from '../../ui/rows.module.css'
import { useFresh } from '../useFresh'
import { FieldDialog } from './FieldDialog'
import { Sortable } from './Sortable'
import { usePosition } from './usePosition'
import classes from './Cases.module.css'

const entities: FieldEntity[] = ['contact', 'attendance', 'card']

/** Fields is the page of custom fields, with a tab for contacts, cases and cards. */
export default function Fields() {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const { _splat: path = '' } = useParams({ strict: false })
  const [, named] = path.split('/')
  const entity = entities.find((one) => one === named) ?? 'contact'
  const fields = useQuery(fieldsOptions)
  useFresh(keys.fields)
  return (
    <Page title={t('fields.title')} text={t('fields.text')}>
      <Tabs
        value={entity}
        keepMounted={false}
        onChange={(next) =>
          void navigate({
            to: '/settings/$',
            params: { _splat: `fields/${next ?? 'contact'}` },
            replace: true,
          })
        }
      >
        <Tabs.List aria-label={t('fields.title')}>
          {entities.map((one) => (
            <Tabs.Tab key={one} value={one}>
              {t(`fields.entity.${one}`)}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Tabs.Panel value={entity}>
          <Loaded query={fields}>
            {(data) => (
              <FieldList
                entity={entity}
                fields={data.filter((one) => one.entity === entity)}
              />
            )}
          </Loaded>
        </Tabs.Panel>
      </Tabs>
    </Page>
  )
}

function FieldList({
  entity,
  fields,
}: {
  entity: FieldEntity
  fields: CustomField[]
}) {
  const { t } = useTranslation()
  const client = useQueryClient()
  const [editing, setEditing] = useState<CustomField | 'new' | null>(null)
  const [deleting, setDeleting] = useState<CustomField | null>(null)
  const move = usePosition<CustomField>(keys.fields, (id, position) =>
    unwrap(
      api.PATCH('/fields/{id}', {
        params: { path: { id } },
        body: { position },
      }),
    ),
  )
  const add = (
    <Button
      leftSection={<IconPlus size={16} />}
      onClick={() => setEditing('new')}
    >
      {t('fields.new')}
    </Button>
  )
  return (
    <>
      {fields.length === 0 ? (
        <Empty
          icon={<IconForms size={28} />}
          title={t('fields.none')}
          text={t(`fields.noneText.${entity}`)}
        >
          {add}
        </Empty>
      ) : (
        <>
          <div className={classes.add}>
            <p>{t(`fields.shown.${entity}`)}</p>
            {add}
          </div>
          <Sortable
            label={t(`fields.entity.${entity}`)}
            items={fields}
            onMove={(item, to) => void move(fields, item, to)}
          >
            {(field) => (
              <>
                <div className={rows.main}>
                  <strong>
                    {field.name} <em>{field.key}</em>
                  </strong>
                  <span>
                    {[
                      t(`fields.type.${field.type}`),
                      field.required_on_close &&
                        entity !== 'card' &&
                        t('fields.isRequired'),
                    ]
                      .filter(Boolean)
                      .join(' · ')}
                  </span>
                </div>
                <ActionIcon
                  variant="subtle"
                  color="gray"
                  size={36}
                  aria-label={t('settings.edit', { name: field.name })}
                  title={t('settings.edit', { name: field.name })}
                  onClick={() => setEditing(field)}
                >
                  <IconPencil size={18} />
                </ActionIcon>
                <ActionIcon
                  variant="subtle"
                  color="gray"
                  size={36}
                  aria-label={t('settings.delete', { name: field.name })}
                  title={t('settings.delete', { name: field.name })}
                  onClick={() => setDeleting(field)}
                >
                  <IconTrash size={18} />
                </ActionIcon>
              </>
            )}
          </Sortable>
        </>
      )}
      {editing && (
        <FieldDialog
          entity={entity}
          field={editing === 'new' ? null : editing}
          onClose={() => setEditing(null)}
        />
      )}
      {deleting && (
        <Confirm
          title={t('fields.deleteTitle', { name: deleting.name })}
          text={t('fields.deleteText')}
          action={t('inbox.delete')}
          onClose={() => setDeleting(null)}
          task={async () => {
            await unwrap(
              api.DELETE('/fields/{id}', {
                params: {
                  path: { id: deleting.id },
                  query: { confirm: 'true' },
                },
              }),
            )
            await client.invalidateQueries({ queryKey: keys.fields })
          }}
        />
      )}
    </>
  )
}
