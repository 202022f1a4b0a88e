import { ActionIcon } from '@mantine/core'
import { IconArrowLeft, IconX } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { refusal, requestIdOf } from '../api/refusal'
import type { Contact } from '../api/types'
import { ContactFields } from '../contact/ContactFields'
import { OptedOut } from '../contact/OptedOut'
import { PersonalData } from '../contact/PersonalData'
import details from '../contact/Details.module.css'
import { Avatar } from '../ui/Avatar'
import { dateAndTime, phone } from '../ui/format'
import { Failure, Loading } from '../ui/states'
import { usePhone } from '../ui/usePhone'
import { ContactConversations } from './ContactConversations'
import { StartConversation } from './StartConversation'
import { useContact } from './useContacts'
import classes from './Contacts.module.css'

/** ContactDetails shows a contact with all its conversations and cases. */
export function ContactDetails({
  id,
  listed,
  onClose,
}: {
  id: string
  listed: Contact | undefined
  onClose: () => void
}) {
  const { t } = useTranslation()
  const small = usePhone()
  const Name = small ? 'h1' : 'h2'
  const found = useContact(id, listed)
  const contact = found.data
  return (
    <aside
      aria-label={t('details.title')}
      className={`${details.details} ${classes.details}`}
    >
      <ActionIcon
        className={classes.close}
        variant="subtle"
        color="gray"
        size={small ? 44 : 36}
        aria-label={small ? t('common.back') : t('details.hide')}
        onClick={onClose}
      >
        {small ? <IconArrowLeft size={20} /> : <IconX size={18} />}
      </ActionIcon>
      {contact ? (
        <>
          <div className={classes.menu}>
            <PersonalData contact={contact.id} size={small ? 44 : 36} />
          </div>
          <div className={details.head}>
            <Avatar id={contact.id} name={contact.name} size={64} />
            <Name className={details.name}>{contact.name}</Name>
            <p className={details.phone}>
              {contact.phone ? phone(contact.phone) : t('contacts.noPhone')}
            </p>
            <OptedOut contact={contact} />
            <StartConversation contact={contact} />
          </div>
          <ContactFields key={contact.id} contact={contact} />
          <ContactConversations contact={contact} onDeleted={onClose} />
          <p className={classes.since}>
            {t('contacts.since', { time: dateAndTime(contact.created_at) })}
          </p>
        </>
      ) : found.isError ? (
        <Failure
          message={refusal(found.error, t)}
          requestId={requestIdOf(found.error)}
          onRetry={() => void found.refetch()}
        />
      ) : (
        <Loading rows={5} />
      )}
    </aside>
  )
}
