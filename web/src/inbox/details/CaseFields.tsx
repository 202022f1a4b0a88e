import { useQueryClient } from '@tanstack/react-query'
import { Suspense } from 'react'
import { useTranslation } from 'react-i18next'
import { putAttendance } from '../../api/attendances'
import { api, unwrap } from '../../api/client'
import { useFields, useMe } from '../../api/queries'
import type { Attendance, FieldValue } from '../../api/types'
import { announce } from '../../ui/announce'
import { withTexts } from '../../ui/i18n'
import { part } from '../../ui/parts'
import classes from '../../contact/Details.module.css'

const FieldRows = part(() =>
  withTexts('cases', import('../../contact/FieldRows')).then(
    (loaded) => loaded.FieldRows,
  ),
)

/** CaseFields shows the custom fields of a case, open or closed. */
export function CaseFields({ attendance }: { attendance: Attendance }) {
  const { t } = useTranslation()
  const client = useQueryClient()
  const fields = useFields('attendance')
  const fixed = !useMe().scopes.includes('attendances:write')
  const save = async (values: Record<string, FieldValue | null>) => {
    const changed = await unwrap(
      api.PATCH('/attendances/{id}', {
        params: { path: { id: attendance.id } },
        body: { fields: values },
      }),
    )
    putAttendance(client, changed)
    announce(t('details.saved'))
  }
  if (fields.length === 0) return null
  return (
    <div className={classes.rows}>
      <Suspense fallback={null}>
        <FieldRows
          fields={fields}
          values={attendance.fields}
          fixed={fixed}
          onSave={save}
        />
      </Suspense>
    </div>
  )
}
