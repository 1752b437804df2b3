// Loaded before the launchers and agents of tests, in place of local/workloads/compile-cache.mjs: tests end them with SIGKILL, so nothing can be
// written on exit. Plain JavaScript, so that it needs no stripping itself.
import { enableCompileCache, flushCompileCache } from 'node:module'
import { fileURLToPath } from 'node:url'

enableCompileCache(fileURLToPath(new URL('../../node_modules/.cache/mesh/compiled', import.meta.url)))
setTimeout(flushCompileCache, 100).unref()
