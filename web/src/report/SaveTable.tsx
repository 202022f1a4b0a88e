import { ActionIcon } from '@mantine/core'
import { IconDownload } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { download } from '../ui/download'
import { table, type Cell } from './csv'
import { useReportPeriod } from './CaseLink'
import classes from './Report.module.css'

/** SaveTable is the button that saves a table of the report as CSV. */
export function SaveTable({
  title,
  file,
  rows,
}: {
  title: string
  file: string
  rows: () => Cell[][]
}) {
  const { t, i18n } = useTranslation()
  const period = useReportPeriod()
  const name = t('report.saveTable', { title })
  return (
    <ActionIcon
      className={classes.control}
      variant="subtle"
      color="gray"
      size={28}
      aria-label={name}
      title={name}
      onClick={() =>
        download(
          `${file}-${period}.csv`,
          table(rows(), i18n.language),
          'text/csv;charset=utf-8',
        )
      }
    >
      <IconDownload size={17} />
    </ActionIcon>
  )
}
