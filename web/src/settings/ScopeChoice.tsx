import { Checkbox } from '@mantine/core'
import { useId } from 'react'
import { useTranslation } from 'react-i18next'
import { useMe } from '../api/queries'
import type { Scope } from '../api/types'
import { scopeGroups, scopeText } from './scopes'
import classes from './Integrations.module.css'

type Props = { value: Scope[]; onChange: (scopes: Scope[]) => void }

/** ScopeChoice lists the scopes the user can grant, in groups, each with a description. */
export function ScopeChoice({ value, onChange }: Props) {
  const { t } = useTranslation()
  const id = useId()
  const mine = useMe().scopes
  const groups = scopeGroups
    .map(({ name, scopes }) => ({
      name,
      scopes: scopes.filter((scope) => mine.includes(scope)),
    }))
    .filter(({ scopes }) => scopes.length > 0)
  const set = (scopes: readonly Scope[], on: boolean) =>
    onChange(
      on
        ? [...new Set([...value, ...scopes])]
        : value.filter((scope) => !scopes.includes(scope)),
    )
  return (
    <div role="group" aria-labelledby={id} className={classes.scopes}>
      <span id={id} className={classes.label}>
        {t('apiKeys.scopes')}
      </span>
      {groups.map(({ name, scopes }) => {
        const chosen = scopes.filter((scope) => value.includes(scope)).length
        return (
          <fieldset key={name} className={classes.group}>
            <legend className="visually-hidden">
              {t(`scopeGroup.${name}`)}
            </legend>
            <Checkbox
              label={t(`scopeGroup.${name}`)}
              fw={600}
              checked={chosen === scopes.length}
              indeterminate={chosen > 0 && chosen < scopes.length}
              onChange={(event) => set(scopes, event.currentTarget.checked)}
            />
            {scopes.map((scope) => (
              <Checkbox
                key={scope}
                className={classes.scope}
                label={scope}
                description={t(`scope.${scopeText(scope)}`)}
                checked={value.includes(scope)}
                onChange={(event) => set([scope], event.currentTarget.checked)}
              />
            ))}
          </fieldset>
        )
      })}
    </div>
  )
}
