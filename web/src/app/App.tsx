import { MantineProvider } from '@mantine/core'
import { QueryClientProvider, type QueryClient } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { Suspense } from 'react'
import { LiveRegion } from '../ui/announce'
import { styleNonce } from '../ui/page'
import { Quiet } from '../ui/Quiet'
import { cssVariables, theme } from '../ui/theme'
import { useToastsWanted } from '../ui/toast'
import { Gate } from './Gate'
import { router } from './router'
import { part } from '../ui/parts'

const Toasts = part(() => import('../ui/Toasts').then((loaded) => loaded.default))

/** App is everything below the root element. */
export function App({ client }: { client: QueryClient }) {
  const toasts = useToastsWanted()
  return (
    <MantineProvider theme={theme} cssVariablesResolver={cssVariables} defaultColorScheme="auto" getStyleNonce={() => styleNonce} deduplicateInlineStyles>
      <QueryClientProvider client={client}>
        <Quiet>
          <Suspense fallback={null}>{toasts && <Toasts />}</Suspense>
        </Quiet>
        <LiveRegion />
        <Gate>
          <RouterProvider router={router} />
        </Gate>
      </QueryClientProvider>
    </MantineProvider>
  )
}
