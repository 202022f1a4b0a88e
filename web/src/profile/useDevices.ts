import { useQuery, useQueryClient } from '@tanstack/react-query'
import { api, unwrap } from '../api/client'
import { keys } from '../api/keys'
import { localSubscription, registeredDevice } from '../api/push'
import { useMe } from '../api/queries'

/** useDevices returns the devices that get push notifications, the id of this one if it is one of them, and a function that loads both again. */
export function useDevices() {
  const client = useQueryClient()
  const { user } = useMe()
  const devices = useQuery({
    queryKey: keys.pushDevices,
    staleTime: 0,
    queryFn: async () => (await unwrap(api.GET('/me/push-subscriptions'))).data,
  })
  const local = useQuery({
    queryKey: keys.thisDevice,
    staleTime: 0,
    queryFn: async () => {
      const registered = registeredDevice(user.id)
      const subscription = registered && (await localSubscription())
      return subscription && Notification.permission === 'granted'
        ? registered.id
        : null
    },
  })
  const here = devices.data?.find(({ id }) => id === local.data)?.id ?? null
  const reload = () =>
    Promise.all([
      client.invalidateQueries({ queryKey: keys.pushDevices }),
      client.invalidateQueries({ queryKey: keys.thisDevice }),
    ])
  return {
    devices,
    here,
    pending: devices.isPending || local.isPending,
    reload,
  }
}
