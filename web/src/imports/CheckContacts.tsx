import type { TFunction } from 'i18next'
import { useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Job } from '../jobs/job'
import { number, phone } from '../ui/format'
import { BadLines } from './BadLines'
import { Check, useCheck } from './Check'
import { Columns } from './Columns'
import type { Chosen } from './ImportDialog'
import type { ContactsResult, PreviewLine } from './imports'
import { assign, mappingOf, type Mapping } from './mapping'
import { useFieldNames } from './useFieldNames'
import classes from './Imports.module.css'

type Props = {
  chosen: Chosen
  onOther: () => void
  onStarted: (job: Job) => void
}

/** CheckContacts shows what a file would change: where its columns go, how its first lines are stored, and which lines are wrong. */
export function CheckContacts({ chosen, onOther, onStarted }: Props) {
  const { t } = useTranslation()
  const [mapping, setMapping] = useState<Mapping | null>(null)
  const form = {
    kind: 'contacts' as const,
    ...(mapping && { mapping: JSON.stringify(mapping) }),
  }
  const check = useCheck<ContactsResult>(chosen, form)
  const result = check.data
  const { created = 0, updated = 0, skipped = 0 } = result ?? {}
  const count = created + updated
  return (
    <Check
      chosen={chosen}
      check={check}
      spoken={t('imports.checked', {
        created: number(created),
        updated: number(updated),
        skipped: number(skipped),
      })}
      form={count > 0 ? form : null}
      button={t('imports.importContacts', { count, shown: number(count) })}
      onOther={onOther}
      onStarted={onStarted}
    >
      {result && (
        <>
          <Counts result={result} />
          <Columns
            columns={result.columns}
            mapping={mapping ?? mappingOf(result.columns)}
            onChange={(column, field) =>
              setMapping((before) =>
                assign(before ?? mappingOf(result.columns), column, field),
              )
            }
          />
          <Preview result={result} />
          <BadLines result={result} />
        </>
      )}
    </Check>
  )
}

/** Counts shows how many contacts are new, updated and skipped. */
export function Counts({ result }: { result: ContactsResult }) {
  const { t } = useTranslation()
  return (
    <dl className={classes.counts}>
      {(['created', 'updated', 'skipped'] as const).map((key) => (
        <div key={key} data-none={result[key] === 0 || undefined}>
          <dt>{t(`imports.count.${key}`)}</dt>
          <dd>{number(result[key])}</dd>
        </div>
      ))}
    </dl>
  )
}

/** Preview shows the first lines of a file as they will be stored. */
function Preview({ result }: { result: ContactsResult }) {
  const { t } = useTranslation()
  const id = useId()
  const { nameOf } = useFieldNames()
  const fields = [
    ...new Set(result.columns.flatMap(({ field }) => field ?? [])),
  ]
  if (result.preview.length === 0 || fields.length === 0) return null
  return (
    <section aria-labelledby={id} className={classes.part}>
      <h3 id={id}>{t('imports.preview')}</h3>
      <div
        className={classes.scroll}
        role="group"
        aria-labelledby={id}
        tabIndex={0}
      >
        <table className={classes.table}>
          <thead>
            <tr>
              <th scope="col">{t('imports.outcomeName')}</th>
              {fields.map((field) => (
                <th key={field} scope="col">
                  {nameOf(field)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {result.preview.map((line) => (
              <tr key={line.line}>
                <td>{t(`imports.outcome.${line.outcome}`)}</td>
                {fields.map((field) => (
                  <td key={field}>{valueOf(line, field, t)}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  )
}

/** valueOf returns the text of a field in a line of the preview. */
function valueOf(line: PreviewLine, field: string, t: TFunction): string {
  const value = field.startsWith('fields.')
    ? line.fields[field.slice('fields.'.length)]
    : line[field as 'name' | 'labels' | 'opted_out']
  if (value === null || value === undefined) return ''
  if (typeof value === 'boolean')
    return value ? t('imports.yes') : t('imports.no')
  if (Array.isArray(value)) return value.map(String).join(', ')
  return field === 'phone' ? phone(String(value)) : String(value)
}
