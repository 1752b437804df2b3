import { RouterProvider, createMemoryHistory, createRootRoute, createRouter } from '@tanstack/react-router'
import { createRoot } from 'react-dom/client'
import '../design/fonts.css'
import '../design/tokens.css'
import '../design/base.css'
import { startKeys } from '../parts/keys/key-registry.ts'
import { startTips } from '../parts/overlay/tip.ts'
import { Gallery } from './gallery.tsx'

// The page of parts, for development: links need a router, and nothing else of the console.
const router = createRouter({
  routeTree: createRootRoute({ component: Gallery }),
  history: createMemoryHistory(),
})

const element = document.querySelector('#root')
if (element === null) throw new Error('the page has no element #root')
startKeys()
startTips()
createRoot(element).render(<RouterProvider router={router} />)
