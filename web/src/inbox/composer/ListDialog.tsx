import { Button, Group, Stack } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { InteractiveBody } from '../../api/types'
import { ListRow } from './ListRow'
import {
  limits,
  listFits,
  listOffer,
  newRow,
  newSection,
  rowsOf,
  type ListForm,
  type ListSection,
} from './offerForm'
import { Counted, OfferFrame } from './OfferFrame'
import classes from '../thread/Offer.module.css'

/** ListDialog composes a message with a list of up to ten rows in sections. */
export function ListDialog({
  text,
  onSend,
  onClose,
}: {
  text: string
  onSend: (offer: InteractiveBody) => void
  onClose: () => void
}) {
  const { t } = useTranslation()
  const [form, setForm] = useState<ListForm>(() => ({
    body: text,
    header: '',
    footer: '',
    button: '',
    sections: [newSection()],
  }))
  const [added, setAdded] = useState('')
  const { sections } = form
  const full = rowsOf(form) >= limits.rows
  const change = (fields: Partial<ListForm>) =>
    setForm((all) => ({ ...all, ...fields }))
  const put = (section: ListSection) =>
    change({
      sections: sections.map((one) => (one.id === section.id ? section : one)),
    })
  const addSection = () => {
    const section = newSection()
    setAdded(section.id)
    change({ sections: [...sections, section] })
  }
  const addRow = (section: ListSection) => {
    const row = newRow()
    setAdded(row.id)
    put({ ...section, rows: [...section.rows, row] })
  }
  return (
    <OfferFrame
      title={t('composer.list')}
      most={limits.listBody}
      frame={form}
      onFrame={change}
      offer={listOffer(form)}
      fits={listFits(form)}
      onSend={onSend}
      onClose={onClose}
    >
      <Counted
        label={t('offer.listButton')}
        most={limits.button}
        required
        value={form.button}
        onChange={(button) => change({ button })}
      />
      {sections.map((section, at) => (
        <fieldset key={section.id} className={classes.part}>
          <legend>{t('offer.section', { n: at + 1 })}</legend>
          <Stack gap="sm">
            <Counted
              label={t('offer.sectionTitle')}
              most={limits.row}
              required={sections.length > 1}
              autoFocus={section.id === added}
              value={section.title}
              error={
                sections.length > 1 &&
                !section.title.trim() &&
                t('offer.sectionNeeded')
              }
              onChange={(title) => put({ ...section, title })}
            />
            {section.rows.map((row, n) => (
              <ListRow
                key={row.id}
                row={row}
                n={n + 1}
                focus={row.id === added}
                onChange={(next) =>
                  put({
                    ...section,
                    rows: section.rows.map((one) =>
                      one.id === row.id ? next : one,
                    ),
                  })
                }
                onRemove={
                  section.rows.length > 1
                    ? () =>
                        put({
                          ...section,
                          rows: section.rows.filter((one) => one.id !== row.id),
                        })
                    : undefined
                }
              />
            ))}
            <Group gap="xs">
              <Button
                size="compact-sm"
                variant="default"
                leftSection={<IconPlus size={15} />}
                disabled={full}
                onClick={() => addRow(section)}
              >
                {t('offer.addRow')}
              </Button>
              {sections.length > 1 && (
                <Button
                  size="compact-sm"
                  variant="default"
                  onClick={() =>
                    change({
                      sections: sections.filter((one) => one.id !== section.id),
                    })
                  }
                >
                  {t('offer.removeSection')}
                </Button>
              )}
            </Group>
          </Stack>
        </fieldset>
      ))}
      <Button
        variant="default"
        leftSection={<IconPlus size={16} />}
        disabled={full}
        onClick={addSection}
      >
        {t('offer.addSection')}
      </Button>
      {full && (
        <p role="status" className={classes.footer}>
          {t('offer.full')}
        </p>
      )}
    </OfferFrame>
  )
}
