import {
  AgentInput,
  DEFAULT_FORM_POLICY,
} from '@tallyhand/contracts/features/agents/agents.fields';
import {
  type Article,
  createArticle,
} from '@tallyhand/contracts/features/knowledge/knowledge.endpoints';
import { ArticleInput } from '@tallyhand/contracts/features/knowledge/knowledge.fields';
import { mayCall } from '@tallyhand/contracts/kernel/access';
import { type ComponentProps, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useLocation, useNavigate } from 'react-router-dom';
import { z } from 'zod';
import { type FormOf, useContractForm, useFieldMessage, useSubmit } from '../../app/form.ts';
import { Banner } from '../../ui/banner.tsx';
import { Button } from '../../ui/button.tsx';
import { Dialog, DialogBody, DialogFooter, FormDialog } from '../../ui/dialog.tsx';
import { Field, Input, Textarea } from '../../ui/field.tsx';
import { Switch } from '../../ui/toggles.tsx';
import { useCurrentUser } from '../identity/identity.api.ts';
import { useChangeArticleMutation, useCreateArticleMutation } from '../knowledge/knowledge.api.ts';
import { AgentFields } from './agent-dialog.tsx';
import { useCreateAgentMutation } from './agents.api.ts';
import { FirstQuestion } from './first-question.tsx';
import { BLANK, GALLERY } from './gallery-path.ts';
import { AddSample } from './sample-dialogs.tsx';
import {
  EXPERTISE,
  isTemplate,
  TEMPLATE_NAMES,
  TEMPLATES,
  type TemplateName,
} from './templates.ts';

type TemplatesProps = {
  /** What the address says: the gallery, or the name of a template. */
  shown: string;
  show: (shown: string) => void;
  close: () => void;
};

/** Creates an agent from a template: the gallery, the form, then the first question. */
export function Templates({ shown, show, close }: TemplatesProps) {
  const [made, setMade] = useState<Made>();
  if (useAddsSample()) return <AddSample close={close} />;
  if (made) return <FirstQuestion {...made} close={close} />;
  if (!isTemplate(shown)) return <Gallery choose={show} close={close} />;
  return <TemplateForm name={shown} back={() => show(GALLERY)} close={close} done={setMade} />;
}

/** Whether the user has asked for the sample data. Going back to this address adds nothing. */
function useAddsSample(): boolean {
  const { state, pathname, search } = useLocation();
  const navigate = useNavigate();
  const asks = state?.addsSample === true;
  const [adds, setAdds] = useState(asks);
  if (asks && !adds) setAdds(true);
  useEffect(() => {
    if (asks) navigate(pathname + search, { replace: true, state: null });
  }, [asks, navigate, pathname, search]);
  return adds;
}

function Gallery({ choose, close }: { choose: (shown: string) => void; close: () => void }) {
  const { t } = useTranslation('templates');
  return (
    <Dialog
      size="wide"
      title={t('gallery.title')}
      description={t('gallery.description')}
      close={close}
    >
      <DialogBody>
        <ul aria-label={t('gallery.title')} className="grid gap-3 sm:grid-cols-2">
          {TEMPLATE_NAMES.map((name) => {
            const { icon: Icon } = TEMPLATES[name];
            return (
              <li key={name} className="min-w-0">
                <button
                  type="button"
                  onClick={() => choose(name)}
                  className="flex h-full w-full flex-col gap-1 rounded-lg border border-line bg-surface p-4 text-left transition-colors duration-150 ease-out hover:border-border hover:bg-sunken"
                >
                  <span className="flex items-center gap-2 font-medium">
                    <Icon aria-hidden className="size-4 shrink-0 text-accent" />
                    {t(`of.${name}.name`)}
                  </span>
                  <span className="text-sm text-muted">{t(`of.${name}.description`)}</span>
                </button>
              </li>
            );
          })}
        </ul>
      </DialogBody>
      <DialogFooter>
        <Button onClick={() => choose(BLANK)}>{t('gallery.blank')}</Button>
      </DialogFooter>
    </Dialog>
  );
}

const TemplateInput = AgentInput.extend({
  article: ArticleInput.pick({ title: true, content: true }),
  hasArticle: z.boolean(),
});
type TemplateForm = FormOf<typeof TemplateInput>;

/** The texts of a template, in the language of the page. */
function useTemplate(name: TemplateName) {
  const { t } = useTranslation('templates');
  const values: z.input<typeof TemplateInput> = {
    name: t(`of.${name}.name`),
    description: t(`of.${name}.description`),
    personaConfig: {
      role: t(`of.${name}.role`),
      personality: t(`of.${name}.personality`),
      expertise: EXPERTISE.map((area) => t(`of.${name}.expertise.${area}`)),
      communicationStyle: TEMPLATES[name].communicationStyle,
      // Short enough for the quote to stand alone, in any language.
      responseFormat: 'concise',
    },
    isActive: true,
    formPolicy: DEFAULT_FORM_POLICY,
    article: { title: t(`of.${name}.article.title`), content: t(`of.${name}.article.content`) },
    hasArticle: true,
  };
  return { values, question: t(`of.${name}.question`) };
}

type Made = Omit<ComponentProps<typeof FirstQuestion>, 'close'>;

type TemplateFormProps = {
  name: TemplateName;
  back: () => void;
  close: () => void;
  /** Called with an agent that has an article. */
  done: (made: Made) => void;
};

function TemplateForm({ name, back, close, done }: TemplateFormProps) {
  const { t } = useTranslation('templates');
  const { t: ofAgents } = useTranslation('agents');
  const { values, question } = useTemplate(name);
  const mayWrite = mayCall(useCurrentUser().role, createArticle);
  const form = useContractForm(TemplateInput, { ...values, hasArticle: mayWrite });
  const create = useCreateFromTemplate();
  const submitting = useSubmit(form, {
    send: create,
    done: (agent) => (form.getValues('hasArticle') ? undefined : ofAgents('toasts.created', agent)),
    failed: t('form.failed'),
    fieldOf: (path) => (/^(title|content)$/.test(path) ? `article.${path}` : path),
    onDone(agent) {
      const { hasArticle, article } = form.getValues();
      if (hasArticle) done({ agent, title: article.title, question });
      else close();
    },
  });
  return (
    <FormDialog
      {...submitting}
      title={t(`of.${name}.name`)}
      description={t('form.description')}
      submitLabel={t('form.submit')}
      pendingLabel={t('form.pending')}
      close={close}
    >
      <div>
        <Button size="sm" onClick={back}>
          {t('form.back')}
        </Button>
      </div>
      <AgentFields form={form as unknown as FormOf<typeof AgentInput>} />
      {mayWrite ? (
        <ExampleArticle form={form} />
      ) : (
        <Banner tone="info">{t('form.noArticle')}</Banner>
      )}
    </FormDialog>
  );
}

function ExampleArticle({ form }: { form: TemplateForm }) {
  const { t } = useTranslation('templates');
  const message = useFieldMessage();
  const errors = form.formState.errors.article;
  const hasArticle = form.watch('hasArticle');
  return (
    <>
      <Switch
        label={t('form.withArticle')}
        help={t('form.withArticleHelp')}
        checked={hasArticle}
        onCheckedChange={(checked) => form.setValue('hasArticle', checked, { shouldDirty: true })}
      />
      {hasArticle && (
        <>
          <Field label={t('form.articleTitle')} error={message(errors?.title)} required>
            <Input autoComplete="off" {...form.register('article.title')} />
          </Field>
          <Field label={t('form.articleContent')} error={message(errors?.content)} required>
            <Textarea rows={8} {...form.register('article.content')} />
          </Field>
        </>
      )}
    </>
  );
}

/** Writes the article, then creates the agent that may use it. A second attempt keeps the article. */
function useCreateFromTemplate() {
  const [createAgent] = useCreateAgentMutation();
  const [writeArticle] = useCreateArticleMutation();
  const [changeArticle] = useChangeArticleMutation();
  const written = useRef<Article>(undefined);
  return async ({ hasArticle, article, ...agent }: z.output<typeof TemplateInput>) => {
    if (!hasArticle) return createAgent(agent);
    const [category = ''] = agent.personaConfig.expertise;
    const seen = written.current;
    const { data, error } = seen
      ? await changeArticle({ seen, body: article })
      : await writeArticle({ ...article, category });
    if (!data) return { error };
    written.current = data;
    return createAgent({ ...agent, articles: [data.id] });
  };
}
