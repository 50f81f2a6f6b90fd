/** What was dropped, of a tool that can't do its work without. */
export const credentialsRequired = (type: string, config: string, dropped: string) => `
  case when ${type} = 'custom' or (${type} = 'api' and ${config}->>'authType' <> 'none')
    then ${dropped} end as "credentialsRequired"`;
