import { useMediaQuery } from '@mantine/hooks'

/** usePhone reports whether the screen shows one pane at a time. Paper is no phone, though it is as narrow. */
export const usePhone = () =>
  useMediaQuery('screen and (max-width: 799px)', false, {
    getInitialValueInEffect: false,
  })

/** useNarrow reports whether the screen is too narrow for the views, even over the list. */
export const useNarrow = () =>
  useMediaQuery('(max-width: 999px)', false, { getInitialValueInEffect: false })

/** useViewsColumn reports whether the screen has room for the views as a column; otherwise they open over the list. */
export const useViewsColumn = () =>
  useMediaQuery('(min-width: 1280px)', true, { getInitialValueInEffect: false })

/** useDetailsColumn reports whether the screen has room for the details as a column; otherwise they open over the conversation. */
export const useDetailsColumn = () =>
  useMediaQuery('(min-width: 1600px)', true, { getInitialValueInEffect: false })
