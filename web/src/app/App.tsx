import { localStorageColorSchemeManager, MantineProvider } from '@mantine/core'
import { QueryClientProvider, type QueryClient } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { Suspense } from 'react'
import { LiveRegion } from '../ui/announce'
import { Boundary } from '../ui/Boundary'
import { installed, styleNonce } from '../ui/page'
import { PartFailure } from '../ui/states'
import { theme } from '../ui/theme'
import { useToastsWanted } from '../ui/toast'
import { Gate } from './Gate'
import { router } from './router'
import { part } from '../ui/parts'

const Toasts = part(() =>
  import('../ui/Toasts').then((loaded) => loaded.default),
)

const colorSchemes = localStorageColorSchemeManager({
  key: installed('colors'),
})

/** App is the root component. */
export function App({ client }: { client: QueryClient }) {
  const toasts = useToastsWanted()
  return (
    <MantineProvider
      theme={theme}
      withCssVariables={false}
      withGlobalClasses={false}
      defaultColorScheme="auto"
      colorSchemeManager={colorSchemes}
      getStyleNonce={() => styleNonce}
      deduplicateInlineStyles
    >
      <QueryClientProvider client={client}>
        <Boundary>
          <Suspense fallback={null}>{toasts && <Toasts />}</Suspense>
        </Boundary>
        <LiveRegion />
        <Boundary fallback={<PartFailure />}>
          <Gate>
            <RouterProvider router={router} />
          </Gate>
        </Boundary>
      </QueryClientProvider>
    </MantineProvider>
  )
}
