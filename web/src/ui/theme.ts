import { createTheme, defaultVariantColorsResolver, type CSSVariablesResolver, type MantineColorsTuple } from '@mantine/core'

const green: MantineColorsTuple = ['#e9f6f1', '#d2ecdf', '#a5d9c2', '#76c7a5', '#35b98c', '#22a37a', '#128a68', '#0b7a5b', '#086249', '#054a37']

const dark: MantineColorsTuple = ['#e6ecea', '#c3cdc9', '#a3b0ab', '#7c8984', '#3a4541', '#29322f', '#1f2724', '#161c1a', '#121817', '#0f1413']

/** theme replaces Mantine's colours, sizes and radii by those of tokens.css. */
export const theme = createTheme({
  fontFamily: "'Inter Variable', system-ui, sans-serif",
  fontSizes: { xs: '11.5px', sm: '13px', md: '14px', lg: '15px', xl: '17px' },
  lineHeights: { xs: '16px', sm: '18px', md: '20px', lg: '22px', xl: '24px' },
  spacing: { xs: '8px', sm: '12px', md: '16px', lg: '20px', xl: '24px' },
  radius: { xs: '4px', sm: '6px', md: '8px', lg: '10px', xl: '12px' },
  defaultRadius: 'md',
  primaryColor: 'green',
  primaryShade: { light: 7, dark: 4 },
  autoContrast: true,
  colors: { green, dark },
  // Accent and red are light in the dark scheme; what stands on them is dark there.
  variantColorResolver: (input) => {
    const colours = defaultVariantColorsResolver(input)
    if (input.variant !== 'filled') return colours
    if (input.color === 'red') return { ...colours, color: 'var(--panel)' }
    return input.color === undefined || input.color === 'green' ? { ...colours, color: 'var(--accent-ink)' } : colours
  },
  headings: { fontWeight: '600', sizes: { h1: { fontSize: '17px', lineHeight: '24px' }, h2: { fontSize: '15px', lineHeight: '20px' } } },
  cursorType: 'pointer',
  respectReducedMotion: true,
  components: {
    // Dialogs and menus are there at once: people open them hundreds of times a day.
    Modal: { defaultProps: { transitionProps: { duration: 0 }, overlayProps: { backgroundOpacity: 0.4 } } },
    Popover: { defaultProps: { transitionProps: { duration: 0 } } },
    Menu: { defaultProps: { transitionProps: { duration: 0 }, shadow: 'md', withInitialFocusPlaceholder: false } },
    Button: { defaultProps: { size: 'sm' } },
    // Dialogs and menus are drawn inside the main landmark, where screen readers look for content.
    Portal: { defaultProps: { target: '#layer' } },
    Select: { defaultProps: { openOnFocus: false } },
    Autocomplete: { defaultProps: { openOnFocus: false } },
  },
})

const shared = {
  '--mantine-color-body': 'var(--panel)',
  '--mantine-color-text': 'var(--ink)',
  '--mantine-color-bright': 'var(--ink)',
  '--mantine-color-dimmed': 'var(--soft)',
  '--mantine-color-placeholder': 'var(--soft)',
  '--mantine-color-default': 'var(--panel)',
  '--mantine-color-default-hover': 'var(--sunken)',
  '--mantine-color-default-color': 'var(--ink)',
  '--mantine-color-default-border': 'var(--line)',
  '--mantine-color-anchor': 'var(--accent)',
  '--mantine-color-error': 'var(--red)',
  '--mantine-primary-color-filled': 'var(--accent)',
  '--mantine-primary-color-contrast': 'var(--accent-ink)',
  '--mantine-primary-color-light': 'var(--accent-soft)',
  '--mantine-primary-color-light-color': 'var(--accent)',
  '--mantine-color-green-filled': 'var(--accent)',
  '--mantine-color-green-filled-hover': 'color-mix(in srgb, var(--accent) 88%, var(--ink))',
  '--mantine-color-green-light': 'var(--accent-soft)',
  '--mantine-color-green-light-color': 'var(--accent)',
  '--mantine-color-green-light-hover': 'color-mix(in srgb, var(--accent) 8%, transparent)',
  '--mantine-color-gray-light-color': 'var(--soft)',
  '--mantine-color-gray-light-hover': 'var(--sunken)',
  '--mantine-color-red-filled': 'var(--red)',
  '--mantine-color-red-filled-hover': 'color-mix(in srgb, var(--red) 88%, var(--ink))',
  '--mantine-color-red-light': 'var(--red-soft)',
  '--mantine-color-red-light-color': 'var(--red)',
}

/** cssVariables gives Mantine's variables the values of our tokens in both schemes. */
export const cssVariables: CSSVariablesResolver = () => ({ variables: {}, light: shared, dark: shared })
