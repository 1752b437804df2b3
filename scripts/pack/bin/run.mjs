// What `mesh.mjs` starts on another Node.js: the same, ending when the one that a person started is gone, however it went.
import { main } from '../main.js'

process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'))
process.channel?.unref()
process.exit(await main(process.argv.slice(2)))
