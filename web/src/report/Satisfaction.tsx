import { Table } from '@mantine/core'
import { useId } from 'react'
import { useTranslation } from 'react-i18next'
import type { Report } from '../api/types'
import { number } from '../ui/format'
import { SectionHead } from '../ui/Layout'
import { CaseLink } from './CaseLink'
import type { CaseSearch, Rating, SurveyStatus } from './cases'
import { Comments } from './Comments'
import { surveyRows } from './csv'
import { percent, rating, share, stars } from './figures'
import { SaveTable } from './SaveTable'
import { Stars } from '../ui/Stars'
import { Unused } from './Unused'
import classes from './Report.module.css'

/** Satisfaction shows what customers answered to the survey. */
export function Satisfaction({ survey }: { survey: Report['survey'] }) {
  const { t } = useTranslation()
  const id = useId()
  const used = survey.sent + survey.skipped > 0
  const most = Math.max(1, ...stars.map((one) => survey.by_rating[one]))
  return (
    <>
      <div className={classes.list}>
        <SectionHead
          id={id}
          title={t('report.satisfaction')}
          action={
            used && (
              <SaveTable
                title={t('report.satisfaction')}
                file="satisfaction"
                rows={() => surveyRows(survey, t)}
              />
            )
          }
        />
        {used ? (
          <>
            <dl className={classes.facts}>
              <Fact name={t('report.averageRating')}>
                {rating(survey.average)}
              </Fact>
              <Fact name={t('report.satisfied')}>
                <CaseLink search={{ on: 'closed', rating: 'high' }}>
                  {survey.share_satisfied === null
                    ? '–'
                    : percent(survey.share_satisfied)}
                </CaseLink>
              </Fact>
              <Fact name={t('report.answerRate')}>
                {share(survey.answered, survey.sent)}
              </Fact>
            </dl>
            <Table
              aria-labelledby={id}
              className={classes.ratings}
              verticalSpacing={3}
              horizontalSpacing={8}
              withRowBorders={false}
            >
              <Table.Thead className="visually-hidden">
                <Table.Tr>
                  <Table.Th>{t('report.rating')}</Table.Th>
                  <Table.Td aria-hidden />
                  <Table.Th>{t('report.answeredSurveys')}</Table.Th>
                </Table.Tr>
              </Table.Thead>
              <Table.Tbody>
                {stars.map((one) => (
                  <Table.Tr key={one}>
                    <Table.Th scope="row">
                      <Stars rating={one} />
                    </Table.Th>
                    <Table.Td aria-hidden>
                      <span
                        className={classes.bar}
                        style={{
                          width: `${(100 * survey.by_rating[one]) / most}%`,
                        }}
                      />
                    </Table.Td>
                    <Table.Td ta="right">
                      <CaseLink
                        search={
                          survey.by_rating[one] > 0
                            ? { on: 'closed', rating: String(one) as Rating }
                            : null
                        }
                      >
                        {number(survey.by_rating[one])}
                      </CaseLink>
                    </Table.Td>
                  </Table.Tr>
                ))}
              </Table.Tbody>
            </Table>
            <p className={classes.note}>
              {t('report.surveysSent', { n: number(survey.sent) })}
              {' · '}
              <CaseLink search={behind('answered', survey.answered)}>
                {t('report.surveysAnswered', { n: number(survey.answered) })}
              </CaseLink>
              {' · '}
              <CaseLink search={behind('skipped', survey.skipped)}>
                {t('report.surveysSkipped', { n: number(survey.skipped) })}
              </CaseLink>
            </p>
          </>
        ) : (
          <Unused text={t('report.noSurvey')} page="survey" />
        )}
      </div>
      {used && <Comments />}
    </>
  )
}

/** behind returns the search for the cases of a figure, or null if there are none. */
const behind = (survey: SurveyStatus, count: number): CaseSearch | null =>
  count > 0 ? { on: 'closed', survey } : null

function Fact({ name, children }: { name: string; children: React.ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}
