import { useId } from 'react'
import { useTranslation } from 'react-i18next'
import { number } from '../ui/format'
import { lineReason, type Errors } from './imports'
import { useFieldNames } from './useFieldNames'
import classes from './Imports.module.css'

const most = 100

/** BadLines lists the lines of a file that are not imported, and why. */
export function BadLines({ result }: { result: Errors }) {
  const { t } = useTranslation()
  const id = useId()
  const { nameOf } = useFieldNames()
  const { errors = [], errors_total: total } = result
  if (total === 0) return null
  const shown = errors.slice(0, most)
  return (
    <section aria-labelledby={id} className={classes.part}>
      <h3 id={id}>
        {t('imports.badLines', { count: total, shown: number(total) })}
      </h3>
      {shown.length > 0 && (
        <div
          className={classes.scroll}
          data-tall=""
          role="group"
          aria-labelledby={id}
          tabIndex={0}
        >
          <table className={classes.table}>
            <thead>
              <tr>
                <th scope="col">{t('imports.line')}</th>
                <th scope="col">{t('imports.fieldName')}</th>
                <th scope="col">{t('imports.reason')}</th>
              </tr>
            </thead>
            <tbody>
              {shown.map((error, row) => (
                <tr key={row}>
                  <td>{number(error.line)}</td>
                  <td>{error.field ? nameOf(error.field) : ''}</td>
                  <td data-wrap="">{lineReason(error, t)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {shown.length > 0 && total > shown.length && (
        <p className={classes.partText}>
          {t('imports.moreLines', {
            count: total - shown.length,
            shown: number(total - shown.length),
          })}
        </p>
      )}
    </section>
  )
}
