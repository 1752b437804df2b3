import { globSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { setUpDom } from './dom.ts'

setUpDom()

// The tests of components are of the program of the console, with JSX and the types of a browser.
for (const name of globSync('*.tsx', { cwd: join(import.meta.dirname, 'components') }).toSorted())
  await import(pathToFileURL(join(import.meta.dirname, 'components', name)).href)
