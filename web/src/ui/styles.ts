// The styles of everything outside the first screen. vite.config.ts bundles them into one file.
import './mantine-later.css'
