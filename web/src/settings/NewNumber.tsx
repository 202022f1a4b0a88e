import { Checkbox, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useState, type ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { api, unwrap } from '../api/client'
import { keys } from '../api/keys'
import type { NewChannel } from '../api/types'
import { Page } from '../ui/Layout'
import classes from './Settings.module.css'

/** useNewNumber holds the name and privacy of a number and creates it. create opens the page of the number. */
export function useNewNumber() {
  const client = useQueryClient()
  const navigate = useNavigate()
  const [name, setName] = useState('')
  const [isPrivate, setPrivate] = useState(false)
  const create = async (
    body: Omit<NewChannel, 'name' | 'private'>,
    page = '',
  ) => {
    const made = await unwrap(
      api.POST('/channels', {
        body: {
          ...body,
          name: name.trim(),
          ...(isPrivate ? { private: true } : {}),
        },
      }),
    )
    await Promise.all(
      [keys.channels, keys.privateChannels].map((queryKey) =>
        client.invalidateQueries({ queryKey }),
      ),
    )
    void navigate({
      to: '/settings/$',
      params: { _splat: `channels/${made.id}${page}` },
      replace: true,
    })
  }
  return { name, setName, isPrivate, setPrivate, create }
}

type NewNumber = ReturnType<typeof useNewNumber>

/** NumberName is the field with the name of a number. */
export function NumberName({
  number: { name, setName },
  error,
}: {
  number: NewNumber
  error: string | undefined
}) {
  const { t } = useTranslation()
  return (
    <TextInput
      label={t('settings.name')}
      description={t('channels.nameText')}
      placeholder={t('connect.namePlaceholder')}
      required
      withAsterisk={false}
      maxLength={120}
      value={name}
      error={error}
      onChange={(event) => setName(event.currentTarget.value)}
    />
  )
}

/** NumberPrivacy chooses whether a number is private. */
export function NumberPrivacy({
  number: { isPrivate, setPrivate },
}: {
  number: NewNumber
}) {
  const { t } = useTranslation()
  return (
    <Checkbox
      label={t('channels.privateNumber')}
      description={t('channels.privateText')}
      checked={isPrivate}
      onChange={(event) => setPrivate(event.currentTarget.checked)}
    />
  )
}

/** NewNumberPage is a page that adds a number. */
export function NewNumberPage({
  title,
  text,
  children,
}: {
  title: string
  text: string
  children: ReactNode
}) {
  const { t } = useTranslation()
  return (
    <Page
      title={title}
      text={text}
      action={
        <Link
          to="/settings/$"
          params={{ _splat: 'channels' }}
          className={classes.link}
        >
          {t('common.cancel')}
        </Link>
      }
    >
      {children}
    </Page>
  )
}
