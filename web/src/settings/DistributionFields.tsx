import '@mantine/core/styles/NumberInput.layer.css'
import { NativeSelect, NumberInput, Switch } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { Distribution } from '../api/types'
import type { DistributionDraft } from './sectorForm'

/** The distribution modes in display order. */
const modes = ['manual', 'round_robin', 'least_busy'] as const

type Props = {
  value: DistributionDraft
  problems: Record<string, string>
  onChange: (value: DistributionDraft) => void
}

/** DistributionFields edits how a department's waiting cases are assigned. */
export function DistributionFields({ value, problems, onChange }: Props) {
  const { t } = useTranslation()
  return (
    <>
      <NativeSelect
        label={t('distribution.mode')}
        description={t(`distribution.modeText.${value.mode}`)}
        error={problems['distribution.mode']}
        value={value.mode}
        data={modes.map((mode) => ({
          value: mode,
          label: t(`distribution.modes.${mode}`),
        }))}
        onChange={(event) =>
          onChange({
            ...value,
            mode: event.currentTarget.value as Distribution['mode'],
          })
        }
      />
      {value.mode !== 'manual' && (
        <>
          <NumberInput
            label={t('distribution.capacity')}
            description={t('distribution.capacityText')}
            required
            withAsterisk={false}
            min={1}
            max={100}
            allowDecimal={false}
            allowNegative={false}
            value={value.capacity ?? ''}
            error={problems['distribution.capacity']}
            onChange={(number) =>
              onChange({
                ...value,
                capacity: number === '' ? null : Number(number),
              })
            }
          />
          <Switch
            label={t('distribution.preferLast')}
            description={t('distribution.preferLastText')}
            checked={value.prefer_last}
            onChange={(event) =>
              onChange({ ...value, prefer_last: event.currentTarget.checked })
            }
          />
          <NumberInput
            label={t('distribution.returnAfter')}
            description={t('distribution.returnAfterText')}
            placeholder={t('distribution.never')}
            min={1}
            max={1440}
            allowDecimal={false}
            allowNegative={false}
            value={value.return_after_minutes ?? ''}
            error={problems['distribution.return_after_minutes']}
            onChange={(number) =>
              onChange({
                ...value,
                return_after_minutes: number === '' ? null : Number(number),
              })
            }
          />
        </>
      )}
    </>
  )
}
