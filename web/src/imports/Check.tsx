import { Alert, Button, Progress } from '@mantine/core'
import { IconFileText } from '@tabler/icons-react'
import {
  keepPreviousData,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query'
import { useEffect, useState, type ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { Failure as RequestFailure } from '../api/client'
import { requestIdOf } from '../api/refusal'
import { useSubmit } from '../api/useSubmit'
import type { Job } from '../jobs/job'
import { putJob } from '../jobs/useJob'
import { announce } from '../ui/announce'
import { fileSize } from '../ui/format'
import { Failure } from '../ui/states'
import type { Chosen } from './ImportDialog'
import {
  checkImport,
  fileProblem,
  startImport,
  type ImportForm,
} from './imports'
import classes from './Imports.module.css'

/** useCheck tries an import, again whenever a field changes. Until the next result is there, the previous one is shown. */
export function useCheck<Result>({ id, file }: Chosen, fields: ImportForm) {
  const [uploaded, setUploaded] = useState(0)
  const [waiting, setWaiting] = useState(false)
  const query = useQuery({
    queryKey: ['import-check', id, fields],
    queryFn: ({ signal }) => {
      setUploaded(0)
      setWaiting(false)
      return checkImport<Result>(file, fields, setUploaded, setWaiting, signal)
    },
    placeholderData: keepPreviousData,
    retry: false,
    gcTime: 60_000,
  })
  return { ...query, uploaded, waiting }
}

type Props = {
  chosen: Chosen
  check: ReturnType<typeof useCheck>
  spoken: string
  form: ImportForm | null
  button: string
  onOther: () => void
  onStarted: (job: Job) => void
  children: ReactNode
}

/** Check shows a file, the progress and the result of its check, and a button that imports it with the fields of form. spoken is announced with each result. */
export function Check({
  chosen: { file },
  check,
  spoken,
  form,
  button,
  onOther,
  onStarted,
  children,
}: Props) {
  const { t } = useTranslation()
  const client = useQueryClient()
  const { busy, problem, run } = useSubmit()
  const hasResult = check.data !== undefined
  const ready = hasResult && !check.isFetching
  useEffect(() => {
    if (ready) announce(spoken)
  }, [ready, spoken])
  const start = (fields: ImportForm) =>
    run(async () => {
      const job = await startImport(file, fields, false)
      putJob(client, job)
      onStarted(job)
    })
  return (
    <>
      <p className={classes.file}>
        <IconFileText size={20} stroke={1.6} aria-hidden />
        <span>
          <strong>{file.name}</strong> <small>{fileSize(file.size)}</small>
        </span>
        <Button size="xs" variant="default" onClick={onOther}>
          {t('imports.otherFile')}
        </Button>
      </p>
      <CheckState check={check} hasResult={hasResult} />
      {hasResult && (
        <>
          <div aria-busy={check.isFetching}>{children}</div>
          <footer className={classes.footer}>
            {problem && (
              <Alert color="red" variant="light" mb="sm">
                {problem}
              </Alert>
            )}
            <Button
              loading={busy}
              disabled={!ready || !form}
              onClick={() => form && void start(form)}
            >
              {button}
            </Button>
          </footer>
        </>
      )}
    </>
  )
}

/** CheckState shows that a file is being uploaded and checked, what the check waits for, or why the file cannot be imported. */
function CheckState({
  check: { isFetching, error, uploaded, waiting, refetch },
  hasResult,
}: {
  check: Props['check']
  hasResult: boolean
}) {
  const { t } = useTranslation()
  if (error && !isFetching) {
    const temporary = !(error instanceof RequestFailure) || error.temporary
    return (
      <Failure
        message={fileProblem(error, t)}
        {...(temporary && {
          requestId: requestIdOf(error),
          onRetry: () => void refetch(),
        })}
      />
    )
  }
  const text = t(
    uploaded < 1
      ? 'imports.uploading'
      : waiting
        ? 'imports.waiting'
        : 'imports.checking',
  )
  const told = !hasResult || (isFetching && waiting)
  return (
    <div className={classes.check} data-told={told || undefined}>
      {isFetching && (
        <>
          <Progress
            size="xs"
            value={uploaded * 100}
            animated={uploaded === 1}
            striped={uploaded === 1}
            aria-label={text}
          />
          {told && <p role="status">{text}</p>}
        </>
      )}
    </div>
  )
}
