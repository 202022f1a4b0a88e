// The styles of everything that is not on the first screen. vite.config.ts puts them into one file.
import './mantine-later.css'
