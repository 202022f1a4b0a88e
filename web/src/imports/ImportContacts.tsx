import { Button } from '@mantine/core'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { download } from '../ui/download'
import { CheckContacts, Counts } from './CheckContacts'
import { FilePicker } from './FilePicker'
import { ImportDialog } from './ImportDialog'
import { ImportJob } from './ImportJob'
import type { ContactsResult } from './imports'
import { sampleFile } from './sampleFile'
import classes from './Imports.module.css'

/** ImportContacts imports contacts from a CSV file: choose it, check where its columns go, import. The running import is in the URL. */
export default function ImportContacts() {
  const { t, i18n } = useTranslation()
  const navigate = useNavigate()
  const { job } = useSearch({ from: '/contacts/import' })
  const downloadSample = () => {
    const { name, content } = sampleFile(i18n.language)
    download(name, content, 'text/csv;charset=utf-8')
  }
  return (
    <ImportDialog
      kind="contacts_import"
      title={t('imports.contacts')}
      job={job}
      onJob={(id) =>
        void navigate({
          to: '/contacts/import',
          search: (before) => ({ ...before, job: id }),
          replace: true,
        })
      }
      onClose={() =>
        void navigate({
          to: '/contacts',
          search: (before) => ({ ...before, job: undefined }),
        })
      }
      choose={(onFile) => (
        <>
          <FilePicker
            endings={['.csv', '.txt']}
            maxBytes={50 * 1024 ** 2}
            text={t('imports.dropCsv')}
            hint={t('imports.csvHint')}
            wrongFile={t('imports.notCsv')}
            onFile={onFile}
          />
          <p className={classes.below}>
            {t('imports.sampleText')}{' '}
            <Button variant="subtle" size="compact-sm" onClick={downloadSample}>
              {t('imports.sample')}
            </Button>
          </p>
        </>
      )}
      check={(chosen, onOther, onStarted) => (
        <CheckContacts
          key={chosen.id}
          chosen={chosen}
          onOther={onOther}
          onStarted={onStarted}
        />
      )}
      show={(id, onAgain) => (
        <ImportJob<ContactsResult>
          id={id}
          onAgain={onAgain}
          summary={(result) => <Counts result={result} />}
          next={() => (
            <Button renderRoot={(props) => <Link to="/contacts" {...props} />}>
              {t('imports.showContacts')}
            </Button>
          )}
        />
      )}
    />
  )
}
