import { useQuery } from '@tanstack/react-query'
import { useContext, useId } from 'react'
import { useTranslation } from 'react-i18next'
import { api, unwrap } from '../api/client'
import { keys } from '../api/keys'
import { refusal, requestIdOf } from '../api/refusal'
import { useMe } from '../api/queries'
import { dateAndTime } from '../ui/format'
import { SectionHead } from '../ui/Layout'
import { Failure } from '../ui/states'
import { CaseFilters, CaseLink } from './CaseLink'
import { caseQuery } from './cases'
import { ConversationLink } from './ConversationLink'
import { Stars } from '../ui/Stars'
import classes from './Report.module.css'

const shown = 5

/** Comments lists the latest comments on low ratings; only those are asked for a comment. */
export function Comments() {
  const { t } = useTranslation()
  const id = useId()
  const filters = useContext(CaseFilters)
  const query = {
    ...caseQuery(filters),
    on: 'closed',
    rating: 'low',
    limit: 50,
  } as const
  const may = useMe().scopes.includes('attendances:read')
  const list = useQuery({
    queryKey: keys.caseComments(query),
    staleTime: 0,
    enabled: may,
    queryFn: () => unwrap(api.GET('/attendances', { params: { query } })),
  })
  const comments = (list.data?.data ?? [])
    .filter((one) => one.survey?.comment)
    .slice(0, shown)
  if (!may) return null
  return (
    <div className={classes.list}>
      <SectionHead
        id={id}
        title={t('report.comments')}
        action={
          comments.length > 0 && (
            <span className={classes.control}>
              <CaseLink search={{ on: 'closed', rating: 'low' }}>
                {t('report.lowRatings')}
              </CaseLink>
            </span>
          )
        }
      />
      {list.isError && (
        <Failure
          message={refusal(list.error, t)}
          requestId={requestIdOf(list.error)}
          onRetry={() => void list.refetch()}
        />
      )}
      {list.isSuccess && comments.length === 0 && (
        <p className={classes.nothing}>{t('report.noComments')}</p>
      )}
      <ul aria-labelledby={id} className={classes.comments}>
        {comments.map((one) => (
          <li key={one.id}>
            <span className={classes.commentHead}>
              {one.survey?.rating && <Stars rating={one.survey.rating} />}
              <ConversationLink attendance={one}>
                {one.protocol}
              </ConversationLink>
              <span>{one.contact.name}</span>
              {one.closed_at && <span>{dateAndTime(one.closed_at)}</span>}
            </span>
            <p>{one.survey?.comment}</p>
          </li>
        ))}
      </ul>
    </div>
  )
}
