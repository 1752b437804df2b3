import assert from 'node:assert/strict'
import test from 'node:test'
import { processMetrics } from './process-metrics.ts'
import { createMetrics } from './prom-metrics.ts'

test('metrics: a process exports the documented metrics of the process and of Node, with help and kind', async () => {
  const text = await createMetrics({ process: true }).render()
  const exported = [...text.matchAll(/^# HELP (\S+) (.*)\n# TYPE \S+ (\S+)$/gm)].map(([, ...each]) => each.join(' '))
  const isOnlyOnLinux = (name: string) => /^process_(?:virtual_memory_bytes|heap_bytes|open_fds|max_fds)$/.test(name)
  const documented = Object.values(processMetrics)
    .filter(({ name }) => process.platform === 'linux' || !isOnlyOnLinux(name))
    .map(({ name, help, kind }) => `${name} ${help} ${kind}`)
  assert.deepEqual(exported.toSorted(), documented.toSorted())
  const labels = [...text.matchAll(/^(nodejs_[a-z_]+)\{([a-z]+)=/gm)].map(([, name = '', label = '']) => [name, label])
  for (const [name = '', label = ''] of labels) {
    const spec = processMetrics[name.replace(/_(?:bucket|sum|count)$/, '')]
    if (label !== 'le') assert.ok(spec?.labels.includes(label), `${name}{${label}}`)
  }
  assert.ok(labels.some(([name]) => name === 'nodejs_heap_space_size_used_bytes'))
})

test('metrics: the figures of a process are its own at each scrape', async () => {
  const metrics = createMetrics({ process: true })
  const read = async (name: string) => Number(new RegExp(`^${name} (.+)$`, 'm').exec(await metrics.render())?.[1])
  const before = await read('process_cpu_seconds_total')
  const until = performance.now() + 60
  while (performance.now() < until);
  assert.ok((await read('process_cpu_seconds_total')) > before)
  assert.ok(Math.abs((await read('process_resident_memory_bytes')) / process.memoryUsage.rss() - 1) < 0.5)
  assert.ok(Math.abs((await read('process_start_time_seconds')) - performance.timeOrigin / 1000) < 5)
  const utilization = await read('nodejs_eventloop_utilization')
  assert.ok(utilization >= 0 && utilization <= 1)
})
