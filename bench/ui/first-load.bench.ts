import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { firstLoad, laterLoads } from '../../scripts/console/first-load.ts'
import { packConsole } from '../../scripts/console/pack-console.ts'
import type { Bench } from '../tools/bench.ts'
import { inFolder, root } from '../tools/platform.ts'
import { interleave } from '../tools/rounds.ts'

const console_ = 'console'
const floor = 'React, Query and Router alone'

// What no page of these libraries can do without.
const program = `
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { Link, Outlet, RouterProvider, createRootRoute, createRouter } from '@tanstack/react-router'
import { createRoot } from 'react-dom/client'
const routeTree = createRootRoute({ component: () => <Link to="/"><Outlet /></Link> })
createRoot(document.body).render(
  <QueryClientProvider client={new QueryClient()}><RouterProvider router={createRouter({ routeTree })} /></QueryClientProvider>,
)
`

/** Size of the console over the wire, against a page that has its libraries and nothing else. */
export const bench: Bench = {
  title: 'First load of the console (KB, gzip), and its build (ms)',
  measure: () =>
    inFolder((folder) => {
      const alone = join(folder, 'alone.tsx')
      writeFileSync(alone, program)
      return interleave(
        [
          { name: floor, run: () => load(alone) },
          { name: console_, run: () => load() },
        ],
        { rounds: 3, most: 3 },
      )
    }),
  goals: (figureOf) => [
    {
      text: 'first load, scripts KB',
      value: figureOf(console_, 'scripts KB'),
      limit: 150,
      peer: { candidate: floor, figure: 'scripts KB' },
    },
    { text: 'first load, styles KB', value: figureOf(console_, 'styles KB'), limit: 20 },
    {
      text: 'largest page that is loaded later, without its editor, KB',
      value: figureOf(console_, 'largest page KB'),
      limit: 20,
    },
  ],
}

async function load(entry?: string): Promise<Record<string, number>> {
  const began = performance.now()
  const packed = await packConsole(root, entry)
  const ms = performance.now() - began
  const { scripts, styles, files } = firstLoad(packed)
  const largest = Math.max(0, ...laterLoads(packed).values())
  return {
    'scripts KB': scripts / 1000,
    'styles KB': styles / 1000,
    'script files': files,
    'largest page KB': largest / 1000,
    'build ms': ms,
  }
}
