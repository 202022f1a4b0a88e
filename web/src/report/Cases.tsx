import { Button } from '@mantine/core'
import { IconDownload, IconListSearch, IconLock } from '@tabler/icons-react'
import { useInfiniteQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { api, unwrap } from '../api/client'
import { saveCsv } from '../api/csv'
import { keys } from '../api/keys'
import { LoadedPages } from '../api/LoadedPages'
import { useMe } from '../api/queries'
import { dayKey } from '../ui/format'
import { Page } from '../ui/Layout'
import { Empty } from '../ui/states'
import { CaseChips } from './CaseChips'
import { CaseTable } from './CaseTable'
import { caseQuery, isPrivate, type CaseSearch } from './cases'
import { readReportSearch } from './period'
import report from './Report.module.css'

/** Cases is the page with the cases behind a figure of the report. */
export default function Cases() {
  const { t } = useTranslation()
  return useMe().scopes.includes('attendances:read') ? (
    <Shown />
  ) : (
    <Empty
      icon={<IconLock size={28} />}
      title={t('refusal.insufficient_role')}
    />
  )
}

const pageSize = 50

/** useCases loads the cases page by page. */
function useCases(search: CaseSearch) {
  const query = useMemo(() => caseQuery(search), [search])
  return useInfiniteQuery({
    queryKey: keys.cases(query),
    staleTime: 0,
    initialPageParam: null as string | null,
    queryFn: ({ pageParam, signal }) =>
      unwrap(
        api.GET('/attendances', {
          params: {
            query: {
              ...query,
              limit: pageSize,
              ...(pageParam ? { cursor: pageParam } : {}),
            },
          },
          signal,
        }),
      ),
    getNextPageParam: (page) => page.next_cursor ?? null,
  })
}

function Shown() {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const search = useSearch({ from: '/report/cases' })
  const list = useCases(search)
  const cases = (list.data?.pages ?? [])
    .flatMap((page) => page.data)
    .filter((one) => !isPrivate(one)) // they are in no figure and in no CSV
  const change = (next: CaseSearch) =>
    void navigate({ to: '/report/cases', search: next, replace: true })
  const { from, to } = search
  const save = () =>
    void saveCsv(
      '/attendances',
      caseQuery(search),
      `cases-${from && to ? `${from}-${to}` : dayKey(new Date())}.csv`,
    )
  return (
    <div className={report.scroll}>
      <Page
        wide
        title={
          from || to
            ? t(`caseList.title.${search.on ?? 'opened'}`)
            : t('caseList.list')
        }
        text={
          <Link
            to="/report"
            search={readReportSearch(search)}
            className={report.control}
          >
            {t('caseList.back')}
          </Link>
        }
        action={
          <Button
            className={report.control}
            variant="default"
            leftSection={<IconDownload size={16} />}
            disabled={cases.length === 0}
            onClick={save}
          >
            {t('report.download')}
          </Button>
        }
      >
        <CaseChips
          search={search}
          reason={cases[0]?.closing?.reason?.name}
          onChange={change}
        />
        <LoadedPages
          list={list}
          isEmpty={cases.length === 0}
          rows={10}
          height={36}
          className={report.control}
          empty={
            <Empty
              icon={<IconListSearch size={28} />}
              title={t('caseList.none')}
            />
          }
        >
          <CaseTable cases={cases} />
        </LoadedPages>
      </Page>
    </div>
  )
}
