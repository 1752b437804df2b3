import { stringOf } from '../../json/json-value.ts'
import type { Json } from '../../json/json-value.ts'
import type { KubeObject } from '../../json/kube-object.ts'
import { invalidValue, required, unsupportedValue } from '../../json/status.ts'
import type { Cause } from '../../json/status.ts'
import { scheduleFault, timeZoneFault } from './cron-schedule.ts'
import { fillDefaults } from './pod-defaults.ts'
import { podFaults } from './pod-faults.ts'
import { read, section } from '../parts/strategy-parts.ts'
import type { Strategy } from '../parts/strategy-parts.ts'
import { boundFaults } from './number-bounds.ts'
import { fillTemplate } from './pod-template.ts'

const POLICIES = ['Allow', 'Forbid', 'Replace']

/** Strategy of CronJobs: stored, no jobs are created. */
export const cronJob: Strategy = {
  defaults(object) {
    const spec = section(object, 'spec')
    fillDefaults(spec, {
      concurrencyPolicy: 'Allow',
      suspend: false,
      successfulJobsHistoryLimit: 3,
      failedJobsHistoryLimit: 1,
    })
    const template = section(spec, 'jobTemplate')
    section(template, 'metadata')
    const job = section(template, 'spec')
    section(section(job, 'template'), 'spec')
    // Only the pods' defaults are filled in here: those of a job are filled in when it is created.
    fillTemplate(job)
    section(object, 'status')
  },
  create: (object) => {
    object['status'] = {}
  },
  validate: (object) => {
    const { schedule, timeZone, concurrencyPolicy, startingDeadlineSeconds } = section(object, 'spec')
    const bad = stringOf(schedule) === '' ? undefined : scheduleFault(stringOf(schedule))
    return [
      ...(stringOf(schedule) === '' ? [required('spec.schedule')] : []),
      ...(bad === undefined ? [] : [invalidValue('spec.schedule', schedule, bad)]),
      ...timeZoneFaults(timeZone),
      ...(POLICIES.includes(stringOf(concurrencyPolicy))
        ? []
        : [unsupportedValue('spec.concurrencyPolicy', concurrencyPolicy, POLICIES)]),
      ...boundFaults(startingDeadlineSeconds, 'startingDeadlineSeconds'),
      ...['successfulJobsHistoryLimit', 'failedJobsHistoryLimit'].flatMap((key) =>
        boundFaults(read(object, 'spec', key), key),
      ),
      ...podFaults(
        read(object, 'spec', 'jobTemplate', 'spec', 'template', 'spec'),
        'spec.jobTemplate.spec.template.spec',
      ),
      ...jobRestarts(object),
      ...(object.metadata.name.length > 52
        ? [invalidValue('metadata.name', object.metadata.name, 'must be no more than 52 characters')]
        : []),
    ]
  },
}

function timeZoneFaults(zone: Json | undefined): Cause[] {
  const why = typeof zone === 'string' ? timeZoneFault(zone) : undefined
  return why === undefined ? [] : [invalidValue('spec.timeZone', zone, why)]
}

function jobRestarts(object: KubeObject): Cause[] {
  const policy = read(object, 'spec', 'jobTemplate', 'spec', 'template', 'spec', 'restartPolicy')
  const known = ['OnFailure', 'Never']
  return known.includes(stringOf(policy))
    ? []
    : [required('spec.jobTemplate.spec.template.spec.restartPolicy', 'valid values: "OnFailure", "Never"')]
}
