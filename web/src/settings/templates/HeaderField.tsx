import { Select, Stack, TextInput } from '@mantine/core'
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { CountedField } from '../reception/CountedField'
import { SampleFile } from './SampleFile'
import {
  hasVariable,
  headerKinds,
  limits,
  type HeaderKind,
  type TemplateDraft,
} from './templateForm'

type Props = {
  draft: TemplateDraft
  wrong: Record<string, string>
  onChange: (part: Partial<TemplateDraft>) => void
  onImage: (address: string | null) => void
}

/** HeaderField edits the header of a template: none, a text or a file, of which Meta wants an example. */
export function HeaderField({ draft, wrong, onChange, onImage }: Props) {
  const { t } = useTranslation()
  const [file, setFile] = useState<File | null>(null)
  const { headerKind: kind, header, headerSample } = draft
  const sample = wrong['examples.header[0]'] ?? wrong['examples.header']
  useEffect(() => {
    if (!file?.type.startsWith('image/')) return onImage(null)
    const address = URL.createObjectURL(file)
    onImage(address)
    return () => URL.revokeObjectURL(address)
  }, [file, onImage])
  return (
    <Stack gap="sm">
      <Select
        label={t('templates.headerLabel')}
        allowDeselect={false}
        value={kind}
        error={kind === 'none' ? wrong.header : wrong['header.type']}
        onChange={(next) => {
          setFile(null)
          onChange({ headerKind: next as HeaderKind, headerMedia: null })
        }}
        data={headerKinds.map((one) => ({
          value: one,
          label: t(`templates.header.${one}`),
        }))}
      />
      {kind === 'text' && (
        <CountedField
          label={t('templates.headerText')}
          description={t('templates.headerVariable', { gap: '{{1}}' })}
          most={limits.header}
          value={header}
          error={wrong.header}
          onChange={(value) => onChange({ header: value })}
        />
      )}
      {kind === 'text' && hasVariable(header) && (
        <TextInput
          label={t('templates.headerSample')}
          maxLength={limits.sample}
          value={headerSample}
          error={sample}
          onChange={(event) =>
            onChange({ headerSample: event.currentTarget.value })
          }
        />
      )}
      {kind !== 'none' && kind !== 'text' && (
        <SampleFile
          key={kind}
          kind={kind}
          error={sample ?? wrong.header}
          onFile={setFile}
          onMedia={(headerMedia) => onChange({ headerMedia })}
        />
      )}
    </Stack>
  )
}
