import { MultiSelect, NativeSelect } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { useSectors } from '../api/queries'
import type { Member, Role } from '../api/types'

export type Access = {
  role: Role
  access_profile: Member['access_profile']
  sector_ids: string[]
}

const profiles = ['all', 'sectors', 'own'] as const

type Props = {
  value: Access
  onChange: (value: Access) => void
  roles: Role[]
  fixedRole?: string
  problems: Record<string, string>
}

/** MemberFields edits a member's role, access profile and departments. */
export function MemberFields({
  value,
  onChange,
  roles,
  fixedRole,
  problems,
}: Props) {
  const { t } = useTranslation()
  const sectors = useSectors().data ?? []
  return (
    <>
      <NativeSelect
        label={t('team.role')}
        description={fixedRole ?? t(`team.roleText.${value.role}`)}
        disabled={fixedRole !== undefined}
        error={problems.role}
        value={value.role}
        data={roles.map((role) => ({
          value: role,
          label: t(`team.roles.${role}`),
        }))}
        onChange={(event) =>
          onChange({ ...value, role: event.currentTarget.value as Role })
        }
      />
      <NativeSelect
        label={t('team.access')}
        description={t('team.accessText')}
        error={problems.access_profile}
        value={value.access_profile}
        data={profiles.map((profile) => ({
          value: profile,
          label: t(`team.profiles.${profile}`),
        }))}
        onChange={(event) =>
          onChange({
            ...value,
            access_profile: event.currentTarget
              .value as Access['access_profile'],
          })
        }
      />
      <MultiSelect
        label={t('sectors.title')}
        placeholder={
          value.sector_ids.length === 0 ? t('team.noSector') : undefined
        }
        searchable
        hidePickedOptions
        error={problems.sector_ids}
        value={value.sector_ids}
        data={sectors.map((sector) => ({
          value: sector.id,
          label: sector.name,
        }))}
        onChange={(sector_ids) => onChange({ ...value, sector_ids })}
      />
    </>
  )
}
