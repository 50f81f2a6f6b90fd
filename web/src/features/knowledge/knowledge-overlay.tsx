import type { Article } from '@tallyhand/contracts/features/knowledge/knowledge.endpoints';
import type { Playbook } from '@tallyhand/contracts/features/playbooks/playbooks.endpoints';
import { DeletePlaybookDialog } from '../playbooks/delete-playbook-dialog.tsx';
import { EditPlaybookDialog } from '../playbooks/edit-playbook-dialog.tsx';
import { CreateDialog, type Creation } from './create-dialog.tsx';
import { DeleteArticleDialog } from './delete-article-dialog.tsx';
import { EditArticleDialog } from './edit-article-dialog.tsx';
import { ImportDialog } from './import-dialog.tsx';

/** What is open over the shelves, but for what is read. */
export type Overlay =
  | { kind: 'create'; mode: Creation }
  | { kind: 'import' }
  | { kind: 'edit-article'; id: string }
  | { kind: 'delete-article'; article: Article }
  | { kind: 'edit-playbook'; id: string }
  | { kind: 'delete-playbook'; playbook: Playbook };

export function KnowledgeOverlay({
  overlay,
  setOverlay,
  showArticle,
}: {
  overlay: Overlay | undefined;
  showArticle: (id: string) => void;
  setOverlay: (overlay?: Overlay) => void;
}) {
  const close = () => setOverlay(undefined);
  switch (overlay?.kind) {
    case undefined:
      return null;
    case 'create':
      return (
        <CreateDialog
          mode={overlay.mode}
          setMode={(mode) => setOverlay({ kind: 'create', mode })}
          close={close}
        />
      );
    case 'import':
      return (
        <ImportDialog
          close={close}
          show={(id) => {
            close();
            showArticle(id);
          }}
        />
      );
    case 'edit-article':
      return <EditArticleDialog id={overlay.id} close={close} />;
    case 'delete-article':
      return <DeleteArticleDialog article={overlay.article} close={close} />;
    case 'edit-playbook':
      return <EditPlaybookDialog id={overlay.id} close={close} />;
    case 'delete-playbook':
      return <DeletePlaybookDialog playbook={overlay.playbook} close={close} />;
  }
}
