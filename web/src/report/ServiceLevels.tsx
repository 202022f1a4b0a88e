import { Table } from '@mantine/core'
import { useId } from 'react'
import { useTranslation } from 'react-i18next'
import type { Report } from '../api/types'
import { number } from '../ui/format'
import { SectionHead } from '../ui/Layout'
import { CaseLink } from './CaseLink'
import { levelRows } from './csv'
import { measured, share, targets } from './figures'
import { SaveTable } from './SaveTable'
import { Unused } from './Unused'
import classes from './Report.module.css'

/** ServiceLevels shows how many targets were met and breached. */
export function ServiceLevels({ sla }: { sla: Report['sla'] }) {
  const { t } = useTranslation()
  const id = useId()
  const { met, breached } = measured(sla)
  const used = met + breached > 0
  return (
    <div className={classes.list}>
      <SectionHead
        id={id}
        title={t('report.levels')}
        action={
          used && (
            <SaveTable
              title={t('report.levels')}
              file="service-levels"
              rows={() => levelRows(sla, t)}
            />
          )
        }
      />
      {used ? (
        <div
          className={classes.listTable}
          tabIndex={0}
          role="region"
          aria-labelledby={id}
        >
          <Table aria-labelledby={id} verticalSpacing={6} horizontalSpacing={8}>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>{t('report.target')}</Table.Th>
                <Table.Th ta="right">{t('report.met')}</Table.Th>
                <Table.Th ta="right">{t('report.breached')}</Table.Th>
                <Table.Th ta="right">{t('report.inTime')}</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {targets.map((one) => (
                <Table.Tr key={one}>
                  <Table.Th scope="row" fw={500}>
                    {t(`report.targets.${one}`)}
                  </Table.Th>
                  {(['met', 'breached'] as const).map((state) => (
                    <Table.Td key={state} ta="right">
                      <CaseLink
                        search={
                          sla[one][state] > 0
                            ? { on: 'opened', sla: state }
                            : null
                        }
                      >
                        {number(sla[one][state])}
                      </CaseLink>
                    </Table.Td>
                  ))}
                  <Table.Td ta="right">
                    {share(sla[one].met, sla[one].met + sla[one].breached)}
                  </Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </div>
      ) : (
        <Unused text={t('report.noLevels')} page="levels" />
      )}
    </div>
  )
}
