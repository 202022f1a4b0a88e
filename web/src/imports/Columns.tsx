import { Alert, NativeSelect } from '@mantine/core'
import { useId } from 'react'
import { useTranslation } from 'react-i18next'
import type { Column, Mapping } from './mapping'
import { useFieldNames } from './useFieldNames'
import classes from './Imports.module.css'

type Props = {
  columns: Column[]
  mapping: Mapping
  onChange: (column: number, field: string | null) => void
}

/** Columns lists the columns of a file with examples of their values and the field that each goes to. */
export function Columns({ columns, mapping, onChange }: Props) {
  const { t } = useTranslation()
  const id = useId()
  const { options } = useFieldNames()
  return (
    <section aria-labelledby={id} className={classes.part}>
      <h3 id={id}>{t('imports.columns')}</h3>
      <p className={classes.partText}>{t('imports.columnsText')}</p>
      {!Object.values(mapping).includes('phone') && (
        <Alert color="yellow" variant="light" role="status" mt="xs">
          {t('imports.noPhoneColumn')}
        </Alert>
      )}
      <ul className={classes.columns}>
        {columns.map(({ index, header, samples }) => {
          const field = mapping[index] ?? null
          const name = header || t('imports.column', { n: index + 1 })
          return (
            <li key={index} data-off={field === null || undefined}>
              <label htmlFor={`${id}-${index}`}>{name}</label>
              <span className={classes.samples} id={`${id}-${index}-samples`}>
                {samples?.join(' · ') || t('imports.noValues')}
              </span>
              <NativeSelect
                id={`${id}-${index}`}
                aria-describedby={`${id}-${index}-samples`}
                value={field ?? ''}
                data={[
                  { value: '', label: t('imports.doNotImport') },
                  ...options,
                ]}
                onChange={(event) =>
                  onChange(index, event.currentTarget.value || null)
                }
              />
            </li>
          )
        })}
      </ul>
    </section>
  )
}
