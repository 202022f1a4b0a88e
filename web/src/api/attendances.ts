import type { QueryClient } from '@tanstack/react-query'
import { keys } from './keys'
import type { Attendance } from './types'

/** putAttendance updates the cached copies of a case outside its thread. */
export function putAttendance(
  client: QueryClient,
  attendance: Attendance,
): void {
  client.setQueryData(keys.attendance(attendance.id), attendance)
  client.setQueryData<{ data: Attendance[] }>(
    keys.attendances(attendance.conversation),
    (page) =>
      page && {
        ...page,
        data: page.data.map((one) =>
          one.id === attendance.id ? attendance : one,
        ),
      },
  )
}
